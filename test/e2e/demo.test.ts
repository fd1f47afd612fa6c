import { expect, test } from 'vitest';
import { aboutFamilies, collectors } from '../../src/collectors/index.ts';
import { demoContract } from '../../src/commands/demo.ts';
import { ABSENT } from './golden/absent.ts';
import { startStory } from './harness.ts';
import { isOfPlatform, type Page } from './page.ts';

let shared: Page | undefined;

/** The page of the demo on a fixed day, with fewer repositories so that the file stays readable. */
async function demoPage(): Promise<Page> {
  if (shared !== undefined) return shared;
  const demo = await startStory({
    sandbox: { users: 40, repos: 3, days: 400 },
    flags: ['history.start=2026-01-14'],
    contract: demoContract,
  });
  shared = await demo.page();
  return shared;
}

/** The text of the platform's families, including headers, in the order of the page. */
function platformPart(page: Page): string {
  const lines = page.text.split('\n').filter((line) => {
    const name = /^(?:# (?:HELP|TYPE) )?(\w+)/.exec(line)?.[1] ?? '';
    return isOfPlatform(name);
  });
  return `${lines.join('\n')}\n`;
}

/** Names, types and label names of the exporter's own metrics, whose values vary. */
function ownPart(page: Page): string {
  const shapes = new Set<string>();
  for (const { name, labels } of page.samples) {
    if (name.startsWith('agent_platform_exporter_'))
      shapes.add(`${name}{${[...labels.keys()].sort().join(',')}}`);
  }
  const types = [...page.types].filter(([name]) => name.startsWith('agent_platform_exporter_'));
  return `${types.map(([name, type]) => `# TYPE ${name} ${type}`).join('\n')}\n${[...shapes].join('\n')}\n`;
}

test('the page of the demo is the one that is committed', async () => {
  const page = await demoPage();
  await expect(platformPart(page)).toMatchFileSnapshot('golden/demo.prom');
  await expect(ownPart(page)).toMatchFileSnapshot('golden/exporter-metrics.txt');
});

test('every family that is declared is on the page, or there is a reason why not', async () => {
  const page = await demoPage();
  const enabled = collectors.filter(({ enabledByDefault }) => enabledByDefault);
  const declared = [...enabled.flatMap(({ families }) => families), ...aboutFamilies].map(({ name }) => name);
  const published = new Set(page.samples.map(({ name }) => name));
  const missing = declared.filter((name) => !published.has(name));
  expect(missing.filter((name) => !ABSENT.some(({ family }) => family.test(name)))).toEqual([]);
  expect(
    ABSENT.filter(({ family }) => !missing.some((name) => family.test(name))),
    'reasons without a case',
  ).toEqual([]);
  expect(
    [...published].filter((name) => isOfPlatform(name) && !declared.some((one) => one === name)),
  ).toEqual([]);
});
