import { palette, sequence, TEXT, WARNING_TEXT } from '../../dashboards/src/palette.ts';
import { allPanels, type Dashboard, dataPanels, type Panel } from './dashboard.ts';

/** A rule, and a change to a dashboard that breaks it. */
export interface Rule {
  readonly name: string;
  /** The problems of a dashboard, in words. */
  violations(dashboard: Dashboard): readonly string[];
  broken(dashboard: Dashboard): Dashboard;
}

const titled = ({ title, id }: Panel) => `“${title}” (${id})`;

/** The dashboard with its first data panel changed. */
export function withPanel(dashboard: Dashboard, change: (panel: Panel) => Panel): Dashboard {
  const first = dataPanels(dashboard)[0];
  return { ...dashboard, panels: dashboard.panels.map((panel) => (panel === first ? change(panel) : panel)) };
}

/** The dashboard whose first data panel is a tile with a series of this colour. */
function withColour(dashboard: Dashboard, value: unknown): Dashboard {
  const overrides = [{ matcher: { id: 'byName', options: 'x' }, properties: [{ id: 'color', value }] }];
  return withPanel(dashboard, (panel) => ({
    ...panel,
    type: 'stat',
    fieldConfig: { defaults: {}, overrides },
  }));
}

/** The problems of each data panel, if any. */
export function ofPanels(wrong: (panel: Panel) => readonly string[] | string | undefined) {
  return (dashboard: Dashboard) =>
    dataPanels(dashboard).flatMap((panel) =>
      [wrong(panel) ?? []].flat().map((text) => `${titled(panel)}: ${text}`),
    );
}

function twice(values: readonly unknown[]): readonly string[] {
  return values
    .filter((value, index) => values.indexOf(value) !== index)
    .map((value) => `${String(value)} twice`);
}

function overlaps(one: Panel, other: Panel): boolean {
  const [a, b] = [one.gridPos, other.gridPos];
  if (a === undefined || b === undefined) return true;
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

/** Everything with colours: thresholds, and overrides with fixed ones. */
function coloursOf({ fieldConfig }: Panel): readonly string[] {
  const text = JSON.stringify(fieldConfig ?? {});
  return [...text.matchAll(/"(?:color|fixedColor)":"([^"]+)"/g)].map(([, colour = '']) => colour);
}

/** Grafana inserts no value unless this is the step of the query. */
const DAY_MS = 86_400_000;

const SAFE = new Set([...Object.values(palette), TEXT, WARNING_TEXT, 'transparent']);
/** Colours of lines and bars that text in the light theme is too pale in. */
const PALE: ReadonlySet<string> = new Set([palette.main, palette.second, palette.fifth]);
const SHADE = /^rgba\(86, 180, 233, [\d.]+\)$/;

/** Rules about a dashboard's structure, regardless of its queries. */
export const structureRules: readonly Rule[] = [
  {
    name: 'can be imported anywhere: no id, a stable short uid, no inputs',
    violations: (dashboard) => [
      ...(dashboard.id === null ? [] : ['has an id']),
      ...(/^ape-[a-z]{3,20}$/.test(dashboard.uid ?? '') ? [] : [`uid ${dashboard.uid}`]),
      ...('__inputs' in dashboard ? ['has __inputs'] : []),
    ],
    broken: (dashboard) => ({ ...dashboard, id: 1 }),
  },
  {
    name: 'is in UTC, tagged, described and not editable, with a link to the others',
    violations: ({ timezone, tags, description = '', editable, links = [], refresh }) => [
      ...(timezone === 'utc' ? [] : [`time zone ${timezone}`]),
      ...(tags?.includes('agent-platform') ? [] : ['no tag']),
      ...(description.length > 30 ? [] : ['no description']),
      ...(editable === false ? [] : ['editable']),
      ...(refresh ? [] : ['no refresh']),
      ...(links.some(({ type, tags: of }) => type === 'dashboards' && of?.includes('agent-platform'))
        ? []
        : ['no link']),
    ],
    broken: (dashboard) => ({ ...dashboard, timezone: 'browser' }),
  },
  {
    name: 'shows its links beside the variables, and not in a menu that some versions of Grafana hide',
    violations: ({ links = [] }) =>
      links.filter((link) => 'placement' in link).map((link) => JSON.stringify(link)),
    broken: (dashboard) => ({
      ...dashboard,
      links: (dashboard.links ?? []).map((link) => ({ ...link, placement: 'inControlsMenu' })),
    }),
  },
  {
    name: 'can filter the text columns of each table',
    violations: ofPanels(({ type, fieldConfig }) =>
      type !== 'table' || JSON.stringify(fieldConfig).includes('"custom.filterable","value":true')
        ? []
        : ['no filter'],
    ),
    broken: (dashboard) =>
      withPanel(dashboard, (panel) => ({
        ...panel,
        type: 'table',
        fieldConfig: { defaults: {}, overrides: [] },
      })),
  },
  {
    name: 'draws no line over a day without a value',
    violations: ofPanels(({ type, interval, fieldConfig }) => {
      if (type !== 'timeseries' || interval !== '1d') return [];
      const { drawStyle, insertNulls } = fieldConfig?.defaults.custom ?? {};
      const bridging = (fieldConfig?.overrides ?? []).filter(
        ({ properties }) =>
          properties.some(({ id, value }) => id === 'custom.drawStyle' && value === 'line') &&
          !properties.some(({ id, value }) => id === 'custom.insertNulls' && value === DAY_MS),
      );
      return [
        ...(drawStyle === 'line' && insertNulls !== DAY_MS ? ['lines over gaps'] : []),
        ...bridging.map(({ matcher }) => `a line over gaps: ${JSON.stringify(matcher)}`),
      ];
    }),
    broken: (dashboard) =>
      withPanel(dashboard, (panel) => ({
        ...panel,
        type: 'timeseries',
        interval: '1d',
        fieldConfig: { defaults: { custom: { drawStyle: 'line' } }, overrides: [] },
      })),
  },
  {
    name: 'has ids that occur once, from 1 on',
    violations: (dashboard) => {
      const ids = allPanels(dashboard).map(({ id = 0 }) => id);
      return [...twice(ids), ...ids.filter((id) => id < 1).map((id) => `id ${id}`)];
    },
    broken: (dashboard) => withPanel(dashboard, (panel) => ({ ...panel, id: dashboard.panels[0]?.id ?? 1 })),
  },
  {
    name: 'has panels that lie on the grid and not over each other',
    violations: (dashboard) => {
      const panels = allPanels(dashboard);
      const off = panels.filter(
        ({ gridPos: at }) => at === undefined || at.x < 0 || at.x + at.w > 24 || at.h < 1,
      );
      const over = panels.flatMap((one, index) =>
        panels
          .slice(index + 1)
          .filter((other) => overlaps(one, other))
          .map((other) => `${titled(one)} over ${titled(other)}`),
      );
      return [...off.map((panel) => `${titled(panel)} off the grid`), ...over];
    },
    broken: (dashboard) =>
      withPanel(dashboard, (panel) => ({ ...panel, gridPos: { h: 40, w: 24, x: 0, y: 0 } })),
  },
  {
    name: 'leaves no panel alone on a line that others could fill',
    violations: ({ panels }) => {
      const lines = new Map<number, number>();
      for (const { type, gridPos } of panels)
        for (let y = gridPos?.y ?? 0; type !== 'row' && y < (gridPos?.y ?? 0) + (gridPos?.h ?? 0); y++)
          lines.set(y, (lines.get(y) ?? 0) + (gridPos?.w ?? 0));
      return [...lines].filter(([, width]) => width < 24).map(([y, width]) => `line ${y} is ${width} wide`);
    },
    broken: (dashboard) =>
      withPanel(dashboard, (panel) => ({ ...panel, gridPos: { h: 3, y: 1, x: 0, ...panel.gridPos, w: 1 } })),
  },
  {
    name: 'gives each number of a tile two columns of the grid, with two currencies, too',
    violations: ofPanels(({ type, gridPos, targets = [] }) => {
      if (type !== 'stat') return [];
      // Only one of two queries answers: whether of all or of some organizations, and for more or less.
      const names = new Set(
        targets.map(({ legendFormat = '' }) => legendFormat.replace(', some organizations', '')),
      );
      const numbers = [...names].flatMap((name) => (name.includes('{{currency}}') ? [name, name] : [name]));
      return (gridPos?.w ?? 0) < 2 * numbers.length
        ? `${numbers.length} numbers in ${gridPos?.w} columns`
        : [];
    }),
    broken: (dashboard) =>
      withPanel(dashboard, (panel) => ({ ...panel, gridPos: { h: 4, x: 0, y: 1, w: 12 } })),
  },
  {
    name: 'says of every panel what it means and which metric and field of the API it shows',
    violations: ofPanels(({ title = '', description = '' }) => [
      ...(title.length > 1 ? [] : ['no title']),
      ...(/^[A-Z“].{20,}[.!?]$/m.test(description) ? [] : ['no description']),
      ...(/- `\w+`: .+ Source: .+\./.test(description) ? [] : ['no source']),
    ]),
    broken: (dashboard) => withPanel(dashboard, (panel) => ({ ...panel, description: '' })),
  },
  {
    name: 'has a unit, a text for no value and a data source that the viewer chooses on every panel',
    violations: ofPanels(({ fieldConfig, datasource, targets = [] }) => [
      ...(fieldConfig?.defaults.unit ? [] : ['no unit']),
      ...(fieldConfig?.defaults.noValue ? [] : ['no text for no value']),
      ...[datasource, ...targets.map((target) => target.datasource)]
        .filter((source) => source?.uid !== '$datasource' || source.type !== 'prometheus')
        .map(() => 'a fixed data source'),
    ]),
    broken: (dashboard) => withPanel(dashboard, (panel) => ({ ...panel, datasource: { uid: 'abc' } })),
  },
  {
    name: 'has thresholds on ratios, ages and remaining days alone',
    violations: ofPanels(({ fieldConfig }) => {
      const { unit = '', thresholds } = fieldConfig?.defaults ?? {};
      const bounded = (thresholds?.steps.length ?? 0) > 1;
      return bounded && !['percentunit', 's', 'suffix: days'].includes(unit) ? `thresholds on ${unit}` : [];
    }),
    broken: (dashboard) =>
      withPanel(dashboard, (panel) => ({
        ...panel,
        fieldConfig: {
          overrides: [],
          defaults: {
            unit: 'short',
            thresholds: { steps: [{ color: sequence[0] ?? '' }, { color: sequence[1] ?? '' }] },
          },
        },
      })),
  },
  {
    name: 'has numbers that can be read on white',
    violations: ofPanels((panel) =>
      panel.type === 'stat' ? coloursOf(panel).filter((colour) => PALE.has(colour)) : [],
    ),
    broken: (dashboard) => withColour(dashboard, { fixedColor: palette.main }),
  },
  {
    name: 'uses colours that the colour-blind can distinguish',
    violations: ofPanels((panel) =>
      coloursOf(panel).filter((colour) => !SAFE.has(colour) && !SHADE.test(colour)),
    ),
    broken: (dashboard) => withColour(dashboard, { fixedColor: 'red' }),
  },
  {
    name: 'gives no series the red of alarms by its position',
    violations: ofPanels(({ fieldConfig, targets = [] }) => [
      ...(sequence.includes(palette.alarm) ? ['by that of its query'] : []),
      // The fifth colour of Grafana's palette is red.
      ...(fieldConfig?.overrides ?? [])
        .filter(({ properties }) => JSON.stringify(properties).includes('palette-classic'))
        .filter(({ matcher }) => {
          const [first] = targets.filter(({ expr }) => /\b(?:top|bottom)k\(4, /.test(expr));
          return first?.refId !== matcher.options || first !== targets[0];
        })
        .map(({ matcher }) => `more than four of query ${matcher.options}`),
    ]),
    broken: (dashboard) => withColour(dashboard, { mode: 'palette-classic' }),
  },
  {
    name: 'shows a legend where a chart has several series, each with a colour of its own',
    violations: ofPanels(({ type, options, targets = [], fieldConfig }) => {
      if (type !== 'timeseries') return [];
      const several = targets.length > 1 || targets.some(({ legendFormat }) => legendFormat?.includes('{{'));
      const { showLegend } = (options?.['legend'] ?? {}) as { showLegend?: boolean };
      const fixed = (fieldConfig?.overrides ?? [])
        .filter(({ matcher }) => matcher.id === 'byFrameRefID')
        .flatMap(({ properties }) =>
          properties.filter(({ id }) => id === 'color').map(({ value }) => JSON.stringify(value)),
        );
      return [...(showLegend === several ? [] : [`legend ${showLegend}`]), ...twice(fixed)];
    }),
    broken: (dashboard) =>
      withPanel(dashboard, (panel) => ({
        ...panel,
        type: 'timeseries',
        options: { legend: { showLegend: 7 } },
      })),
  },
];
