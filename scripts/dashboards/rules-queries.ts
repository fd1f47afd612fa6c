import { processMetrics } from '../../dashboards/src/health/process-metrics.ts';
import { RAW, RECORDED } from '../../dashboards/src/promql.ts';
import type { OwnMetric } from '../../src/exposition/own-metric.ts';
import { ownMetrics } from '../../src/exposition/own-metrics.ts';
import { hookMetrics } from '../../src/intake/metrics.ts';
import { type Dashboard, dataPanels, type Panel, queryOf, type Target, type Variable } from './dashboard.ts';
import { known } from './metrics.ts';
import { type Named, namedIn } from './promql.ts';
import { ofPanels, type Rule, withPanel } from './rules-structure.ts';

/** They only choose or name series of other metrics, so that replicas do not matter. */
const GATES: ReadonlySet<string> = new Set([
  'agent_platform_data_day_timestamp_seconds',
  'agent_platform_org_info',
  'agent_platform_exporter_build_info',
  'agent_platform_exporter_store_info',
]);
/** The metrics that replicas share in a store. */
const OF_STORES: ReadonlySet<string> = new Set(
  [...Object.values(ownMetrics), ...Object.values(hookMetrics)]
    .filter((metric: OwnMetric) => metric.sharedBy === 'store')
    .flatMap(({ name }) => [name, `${name}_bucket`, `${name}_sum`, `${name}_count`]),
);

const OF_EVERY_PROCESS: ReadonlySet<string> = new Set(Object.values(processMetrics).map(({ name }) => name));
const OF_EXPORTERS = /and on \(job,instance\) (?:last_over_time\()?agent_platform_exporter_build_info\{/;

/** The greatest length of a query, for each window in which it finds the days of platforms. */
const MAX_LENGTH = 600;
/** The condition that the organizations are of one platform: the same in each query that has it. */
const OF_ONE_PLATFORM = / unless on \(\) \(count\(count by \(platform\) .*?> 1\)/g;
const LATE_WINDOW = /agent_platform_org_info\{platform=~/g;
/** Numbers of seconds in queries that have six digits. */
const TIMES: ReadonlySet<string> = new Set(['172800', '259200']);

/** The problems of each query of the panels. */
function ofTargets(wrong: (target: Target, named: Named, panel: Panel) => readonly string[]) {
  return ofPanels((panel) =>
    (panel.targets ?? []).flatMap((target) =>
      wrong(target, namedIn(target.expr), panel).map((text) => `${target.refId}: ${text}`),
    ),
  );
}

function withExpression(dashboard: Dashboard, expr: string): Dashboard {
  return withPanel(dashboard, (panel) => ({
    ...panel,
    targets: (panel.targets ?? []).map((target) => ({ ...target, expr })),
  }));
}

/** Labels of a target, on every metric. */
const OF_TARGET = ['job', 'instance', 'org'];

function labelsOf({ selectors, joined }: Named): ReadonlySet<string> {
  return new Set([
    ...OF_TARGET,
    ...joined,
    ...selectors.flatMap(({ metric }) => known.get(metric)?.labels ?? []),
  ]);
}

function unknownIn(named: Named): readonly string[] {
  const labels = labelsOf(named);
  return [
    ...named.selectors
      .filter(({ metric }) => !known.has(metric))
      .map(({ metric }) => `unknown metric ${metric}`),
    ...named.selectors.flatMap(({ metric, matchers }) =>
      [...matchers.keys()]
        .filter((label) => !['job', 'instance', ...(known.get(metric)?.labels ?? [])].includes(label))
        .map((label) => `${metric} has no label ${label}`),
    ),
    ...named.grouped.filter((label) => !labels.has(label)).map((label) => `no metric has the label ${label}`),
  ];
}

function unchosenIn({ selectors }: Named): readonly string[] {
  // What names or gates the series of other metrics is joined with them by the target.
  const chosen = selectors.filter(
    ({ metric }, _, all) => !GATES.has(metric) || all.every((one) => GATES.has(one.metric)),
  );
  return chosen.flatMap(({ metric, matchers }) => [
    // Recorded series have no job, nor have alerts.
    ...(matchers.get('job') === '=~$job' || known.get(metric)?.recorded ? [] : [`${metric} of any job`]),
    ...(!known.get(metric)?.ofOrg || matchers.get('org') === '=~$org'
      ? []
      : [`${metric} of any organization`]),
  ]);
}

/** The columns that a reduction makes. */
const REDUCED: ReadonlySet<string> = new Set(['Total', 'Mean', 'Last *', 'Max']);

/** The labels that a panel uses of the results, in legends and in table columns. */
function takenFrom({ targets = [], transformations = [] }: Panel): readonly string[] {
  const inLegends = targets.flatMap(({ legendFormat = '' }) => [
    ...legendFormat.matchAll(/\{\{\s*(\w+)\s*\}\}/g),
  ]);
  const made = transformations.map(({ options }) => options['alias']);
  const columns = transformations
    .filter(({ id }) => id === 'filterFieldsByName')
    .flatMap(({ options }) => (options['include'] as { names: readonly string[] }).names)
    .filter((name) => !name.startsWith('Value') && !REDUCED.has(name) && !made.includes(name));
  return [...inLegends.map(([, label = '']) => label), ...columns];
}

/** The days that overlap a range. */
const OVER_RANGE = `[23h59m\${__range_s}s:1d]`;

/** The hidden variables that choose the form of a day query. */
const FORMS: ReadonlySet<string> = new Set([RAW, RECORDED]);

/** The values of a label of one metric, or of several that their names select. */
const QUERIED = /^label_values\((?:(\w+)(?:\{(.*)\})?|\{__name__=~"([\w|]+)",(.*)\}), (\w+)\)$/;

function wrongWith({ name, type, ...variable }: Variable): readonly string[] {
  if (type === 'datasource') return [];
  if (FORMS.has(`$${name}`)) return [];
  const query = queryOf({ name, type, ...variable });
  const [, one = '', ofOne = '', several = one, matchers = ofOne, label = ''] = QUERIED.exec(query) ?? [];
  const metrics = several.split('|');
  const named = namedIn(metrics.map((metric) => `${metric}{${matchers}}`).join(' or '));
  const isKnown = metrics.every((metric) => known.get(metric)?.labels.includes(label));
  return [
    ...(isKnown || (label === 'job' && one !== '') ? [] : [`${name}: ${query}`]),
    ...(name === 'job' ? [] : unchosenIn(named).filter((text) => text.endsWith('job'))),
    ...(variable.datasource?.uid === '$datasource' ? [] : [`${name}: a fixed data source`]),
    ...(variable.refresh === 2 ? [] : [`${name}: is not read again with the time range`]),
    // All organizations are those of the platforms: their list.
    ...(variable.multi && variable.includeAll && variable.allValue === (name === 'org' ? '' : '.+')
      ? []
      : [`${name}: not all can be chosen`]),
    ...(variable.label && variable.description ? [] : [`${name}: not explained`]),
  ];
}

/** Rules about a dashboard's queries. */
export const queryRules: readonly Rule[] = [
  {
    name: 'names queries in order, once each',
    violations: ofPanels(({ targets = [] }) => {
      const expected = targets.map((_target, index) => String.fromCharCode(65 + index)).join('');
      const found = targets.map(({ refId }) => refId).join('');
      return targets.length > 0 && found === expected ? [] : [`queries ${found}`];
    }),
    broken: (dashboard) => withPanel(dashboard, (panel) => ({ ...panel, targets: [] })),
  },
  {
    name: 'asks for declared metrics and labels alone',
    violations: ofTargets((_target, named) => unknownIn(named)),
    broken: (dashboard) =>
      withExpression(dashboard, 'max by (org) (agent_platform_daily_renamed{job=~"$job"})'),
  },
  {
    name: 'keeps every query to the chosen job and organizations',
    violations: ofTargets((_target, named) => unchosenIn(named)),
    broken: (dashboard) =>
      withExpression(dashboard, 'max by (org) (agent_platform_daily_credits{job=~"$job"})'),
  },
  {
    name: 'merges replicas before anything else',
    violations: ofTargets(({ expr }, { selectors, risen }) => {
      const rising = new Set(risen.map(({ metric }) => metric));
      const direct = [
        ...expr.matchAll(
          /(max by|sum by|\$raw) ?\([^)]*\) \((?:last_over_time\(\(?|rate\(|increase\()?([\w:]+)\{/g,
        ),
      ];
      const merged = new Set(direct.map(([, , metric = '']) => metric));
      return selectors
        .filter(({ metric }) => !GATES.has(metric))
        .filter(({ metric }) => !merged.has(metric) && !rising.has(metric) && !known.get(metric)?.recorded)
        .map(({ metric }) => `${metric} is not merged`);
    }),
    broken: (dashboard) => withExpression(dashboard, 'agent_platform_seats{job=~"$job",org=~"$org"}'),
  },
  {
    name: 'counts what replicas share in a store once',
    violations: ofTargets(({ expr }, { selectors }) =>
      selectors
        .filter(({ metric }) => OF_STORES.has(metric))
        .filter(() => !/sum by \([^)]*\) \(.*max by \((?:\w+,)*store\) \(.*group_left \(store\)/.test(expr))
        .map(({ metric }) => `${metric} is added up over replicas`),
    ),
    broken: (dashboard) =>
      withExpression(
        dashboard,
        'sum by (event) (rate(agent_platform_hook_events_total{job=~"$job"}[$__rate_interval]))',
      ),
  },
  {
    name: 'asks for counters by how much they rise, over the rate interval or the range',
    violations: ofTargets((_target, { selectors, risen }) => [
      ...selectors
        .filter(({ metric }) => known.get(metric)?.counter && !risen.some((one) => one.metric === metric))
        .map(({ metric }) => `the bare counter ${metric}`),
      ...risen
        .filter(({ metric }) => !known.get(metric)?.counter)
        .map(({ metric }) => `${metric} is no counter`),
      ...risen
        .filter(({ window }) => window !== '$__rate_interval' && window !== '$__range')
        .map(({ window }) => `the fixed window ${window}`),
    ]),
    broken: (dashboard) =>
      withExpression(dashboard, 'sum by () (rate(agent_platform_hook_events_total{job=~"$job"}[5m]))'),
  },
  {
    name: 'shows a day at a step of one day and a week at one of seven, and nothing else at these steps',
    violations: ofTargets(
      ({ expr, interval, range, instant }, _named, { interval: least, maxDataPoints = 0 }) => {
        const daily = expr.includes('[1d:1h]');
        // A single number over several days looks at each of them.
        if (daily && instant) return expr.includes(OVER_RANGE) ? [] : ['a day at any time'];
        const step = expr.includes('[604799s:1d] offset 12h') ? '7d' : '1d';
        if (daily !== (interval === step)) return [`step ${interval}`];
        if (!daily) return [];
        return range && !instant && least === step && maxDataPoints >= 1000
          ? []
          : ['a step that can be longer than a day'];
      },
    ),
    broken: (dashboard) =>
      withExpression(
        dashboard,
        'max by (org) (last_over_time(agent_platform_seats{job=~"$job",org=~"$org"}[1d:1h] offset -1d))',
      ),
  },
  {
    name: 'has each window of a day in both forms, one of which becomes a comment, and reads a newest value as published',
    violations: ofTargets(({ expr, instant }) => {
      const times = (text: string) => expr.split(text).length - 1;
      if (instant && !expr.includes(OVER_RANGE))
        return times(RAW) + times(RECORDED) === 0 ? [] : ['a form that is not published yet'];
      return times(`\n${RAW}(`) === times('[1d:1h]') && times(`\n${RECORDED}(`) === times('[1d:1h]')
        ? []
        : ['a window in one form'];
    }),
    broken: (dashboard) =>
      withExpression(
        dashboard,
        `\n${RAW}(org) (last_over_time(agent_platform_seats{job=~"$job",org=~"$org"}[1d:1h]))`,
      ),
  },
  {
    name: 'has no label in a legend of which its query chooses one value',
    violations: ofTargets(({ expr, legendFormat = '' }) =>
      [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].flatMap(([, label = '']) =>
        new RegExp(`[{,]${label}="`).test(expr) ? `${label} in the legend` : [],
      ),
    ),
    broken: (dashboard) =>
      withPanel(dashboard, (panel) => ({
        ...panel,
        targets: [{ refId: 'A', expr: 'max by (org,kind) (x{kind="a"})', legendFormat: '{{kind}}' }],
      })),
  },
  {
    name: 'shows labels that its answers have',
    violations: ofPanels((panel) => {
      const labels = new Set((panel.targets ?? []).flatMap(({ expr }) => [...labelsOf(namedIn(expr))]));
      return takenFrom(panel)
        .filter((label) => !labels.has(label))
        .map((label) => `no ${label}`);
    }),
    broken: (dashboard) =>
      withPanel(dashboard, (panel) => ({
        ...panel,
        targets: (panel.targets ?? []).map((target) => ({ ...target, legendFormat: '{{renamed}}' })),
      })),
  },
  {
    name: 'has the common variables, and each lists values of a declared label',
    violations: ({ templating: { list } }) => [
      ...(/^datasource,job(,platform,org|$)/.test(list.map(({ name }) => name).join())
        ? []
        : ['not datasource, job, platform, org']),
      ...list.flatMap(wrongWith),
    ],
    broken: (dashboard) => ({ ...dashboard, templating: { list: [] } }),
  },
  {
    name: 'has a variable for each name that its queries hold',
    violations: (dashboard) => {
      const names = new Set(dashboard.templating.list.map(({ name }) => name));
      const used = dataPanels(dashboard).flatMap(({ targets = [] }) =>
        targets.flatMap(({ expr }) => [...expr.matchAll(/\$(\w+)/g)].map(([, name = '']) => name)),
      );
      return used.filter((name) => !name.startsWith('__') && !names.has(name));
    },
    broken: (dashboard) => withExpression(dashboard, 'max by (org) (agent_platform_seats{org=~"$other"})'),
  },
  {
    name: 'has no variable that changes nothing',
    violations: (dashboard) => {
      const { list } = dashboard.templating;
      const queries = dataPanels(dashboard).flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
      if (queries.length > 0) queries.push(...list.map(queryOf));
      return list
        .filter(({ type }) => type === 'query')
        .filter(
          ({ name }) => !queries.some((expr) => expr.includes(`"$${name}"`) || expr.includes(`\n$${name}(`)),
        )
        .map(({ name }) => `$${name}`);
    },
    broken: (dashboard) => ({ ...dashboard, panels: [] }),
  },
  {
    name: 'asks for the metrics that every process has of the exporters alone',
    violations: ofTargets(({ expr }, { selectors }) =>
      selectors
        .filter(({ metric }) => OF_EVERY_PROCESS.has(metric) && !OF_EXPORTERS.test(expr))
        .map(({ metric }) => `${metric} of any target`),
    ),
    broken: (dashboard) => withExpression(dashboard, 'max by (instance) (up{job=~"$job"})'),
  },
  {
    name: 'chooses the largest or smallest once for the range, so that none is missing on some days',
    violations: ofTargets(({ expr, instant }) =>
      /\b(?:topk|bottomk)\(/.test(expr) && !instant && !/\b(?:topk|bottomk)\(.* @ end\(\)/s.test(expr)
        ? ['chosen for each step']
        : [],
    ),
    broken: (dashboard) =>
      withPanel(dashboard, (panel) => ({
        ...panel,
        targets: [
          { refId: 'A', expr: 'topk(5, max by (org) (agent_platform_seats{job=~"$job",org=~"$org"}))' },
        ],
      })),
  },
  {
    name: 'averages no figure of which only the largest of the replicas is left',
    violations: ofTargets(({ expr }) => (/\bavg ?\(max by \(\)/.test(expr) ? ['an average of one'] : [])),
    broken: (dashboard) =>
      withExpression(
        dashboard,
        'avg(max by () (agent_platform_exporter_config_last_reload_successful{job=~"$job"}))',
      ),
  },
  {
    name: 'has queries that a person can read and edit: short, and without a number that stands for a text',
    violations: ofTargets(({ expr }) => [
      ...(expr.replace(OF_ONE_PLATFORM, '').length > MAX_LENGTH * (1 + (expr.match(LATE_WINDOW)?.length ?? 0))
        ? [`${expr.length} characters`]
        : []),
      ...[...expr.matchAll(/(?<![\w.])-?\d{6,}(?![\w.])/g)]
        .filter(([number]) => !TIMES.has(number))
        .map(([number]) => `the number ${number}`),
    ]),
    broken: (dashboard) =>
      withExpression(
        dashboard,
        'max by (org) (agent_platform_seats{job=~"$job",org=~"$org"}) or on () vector(-987654321)',
      ),
  },
];
