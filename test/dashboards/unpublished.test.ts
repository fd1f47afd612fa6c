import { describe, expect, test } from 'vitest';
import { collectors } from '../../src/collectors/index.ts';
import { dataPanels, type Panel, readDashboards } from './files.ts';

const LEFT_OUT = 'agent_platform_exporter_families_excluded';
const families = collectors.flatMap((collector) => collector.families.map(({ name }) => String(name)));
const textOf = ({ targets = [] }: Panel) => targets.map(({ expr }) => expr).join('\n');
const reads = (panel: Panel) => families.filter((name) => new RegExp(`\\b${name}\\b`).test(textOf(panel)));

/** The panel that lists what is left out, and the others. */
function split(panels: readonly Panel[]) {
  const isList = (panel: Panel) => textOf(panel).startsWith(`max by (family) (${LEFT_OUT}`);
  return { lists: panels.filter(isList), others: panels.filter((panel) => !isList(panel)) };
}

describe.each(readDashboards().map(({ file, dashboard }) => ({ file, panels: dataPanels(dashboard) })))(
  '$file',
  ({ panels }) => {
    const { lists, others } = split(panels);

    test('lists in its last row which of its metrics are left out, if any of them can be', () => {
      const needed = [...new Set(others.flatMap(reads))].sort();
      expect(lists).toHaveLength(needed.length === 0 ? 0 : 1);
      for (const list of lists) {
        expect(panels.at(-1)).toBe(list);
        expect(/family=~"([^"]+)"/.exec(textOf(list))?.[1]?.split('|')).toEqual(needed);
        expect(list.fieldConfig?.defaults.noValue).toMatch(/nothing is left out/);
      }
    });

    test('says of every other panel without a value that it may not be published', () => {
      const silent = others.filter((panel) => {
        const { noValue = '' } = panel.fieldConfig?.defaults ?? {};
        return panel.type !== 'stat' && reads(panel).length > 0 && !/not published|^–$/.test(noValue);
      });
      expect(silent.map(({ title }) => title)).toEqual([]);
    });

    test('says of every current number without a value that it is not published, if that is why', () => {
      const tiles = others.filter(({ type, options }) => type === 'stat' && options?.['textMode'] !== 'name');
      for (const panel of tiles) {
        const exprs = (panel.targets ?? []).filter(({ instant }) => instant).map(({ expr }) => expr);
        for (const expr of exprs) {
          const own = families.filter((name) => new RegExp(`\\b${name}[{)]`).test(expr)).sort();
          const fallback = /\) or on \(\) -987654321 \* max\(max by \(family\) \(.*family=~"([^"]+)"\}\)\)$/s;
          expect(fallback.exec(expr)?.[1]?.split('|'), panel.title).toEqual(
            own.length === 0 ? undefined : own,
          );
          if (own.length > 0)
            expect(JSON.stringify(panel.fieldConfig)).toContain('"-987654321":{"text":"Unpublished"');
        }
      }
    });
  },
);
