import { addsUpOverAll } from '../../dashboards/src/catalogue.ts';
import { addsUpOver, type Family } from '../../src/catalog/family.ts';
import { recordedNameOf } from '../../src/catalog/recorded.ts';
import { aboutFamilies, collectors } from '../../src/collectors/index.ts';
import type { Panel, Target } from './dashboard.ts';
import { ofPanels, type Rule, withPanel } from './rules-structure.ts';

const families: ReadonlyMap<string, Family> = new Map(
  [...collectors.flatMap((collector) => collector.families), ...aboutFamilies].flatMap((family) => [
    [family.name, family],
    [recordedNameOf(family.name), family],
  ]),
);

const SELECTOR = /([a-z_][\w:]*)\{([^}]*)\}/g;
/** The grouping of an aggregation, and of the form that becomes one. */
const GROUPED = /(?:\b(sum|max|min|avg|count)(?: by \(([^)]*)\))?|\$(raw)\(([^)]*)\)) ?\(/g;

interface Selected {
  readonly family: Family;
  /** The labels of its series that can have several values, `org` among them. */
  readonly labels: readonly string[];
}

/** The families of the catalogue whose values are in an expression, without those that only choose among others' series. */
function valuesIn(expr: string): readonly Selected[] {
  return [...withoutConditions(expr).matchAll(SELECTOR)].flatMap(([found, name = '', matchers = '']) => {
    const family = families.get(name);
    if (family === undefined || isFactor(expr, found)) return [];
    const isOne = (label: string) => new RegExp(`(?:^|,)${label}="`).test(matchers);
    return [{ family, labels: ['org', ...family.labels].filter((label) => !isOne(label)) }];
  });
}

/** Whether a figure, such as a price, is multiplied with an amount. */
function isFactor(expr: string, selector: string): boolean {
  const rest = expr.slice(expr.indexOf(selector) + selector.length);
  return /^\)* \* on/.test(rest);
}

/** An expression without the right sides of `and` and `unless`. */
function withoutConditions(expr: string): string {
  const condition = /\b(?:and|unless)\b(?: on \([^)]*\))?/.exec(expr);
  if (condition === null) return expr;
  const right = expr.slice(condition.index + condition[0].length);
  return withoutConditions(expr.slice(0, condition.index) + right.slice(endOfOperand(right)));
}

/** Where the operand that begins a text ends: at a bracket of what is around it, or at the next set operator. */
function endOfOperand(text: string): number {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '(') depth++;
    if (text[at] === ')' && --depth < 0) return at;
    if (depth === 0 && /^ (?:and|or|unless) /.test(text.slice(at, at + 8))) return at;
  }
  return text.length;
}

function closingOf(expr: string, open: number): number {
  let depth = 0;
  for (let at = open; at < expr.length; at++) {
    if (expr[at] === '(') depth++;
    if (expr[at] === ')' && --depth === 0) return at;
  }
  return expr.length;
}

function listOf(labels: string | undefined): readonly string[] {
  return (labels ?? '').split(',').filter(Boolean);
}

/** What an expression sums over a label whose values do not add up. */
function summedIn(expr: string): readonly string[] {
  return [...expr.matchAll(GROUPED)].flatMap(({ 0: found, 1: kind, 2: by, index }) => {
    if (kind !== 'sum') return [];
    const open = index + found.length - 1;
    const inner = expr.slice(open + 1, closingOf(expr, open));
    // How many are above or below a bound is a number of them.
    if (/ bool |^count by /.test(inner)) return [];
    return valuesIn(inner).flatMap(({ family, labels }) =>
      labels
        .filter((label) => !listOf(by).includes(label) && !addsUpOver(family, label))
        .map((label) => `${family.name} is summed over ${label}`),
    );
  });
}

/** The condition that the selected organizations are of one platform, or what selects those of one, at the end of what it is about. */
const OF_ONE_PLATFORM =
  / unless on \(\) \(count\(count by \(platform\) \(| and on \(org\) agent_platform_org_info\{[^}]*\bplatform="/;

/** A text without the groups that answer for one platform alone. */
function withoutOnePlatform(expr: string): string {
  const condition = OF_ONE_PLATFORM.exec(expr);
  if (condition === null) return expr;
  let [open, depth] = [condition.index, 1];
  while (open > 0 && depth > 0) {
    open--;
    if (expr[open] === ')') depth++;
    if (expr[open] === '(') depth--;
  }
  return withoutOnePlatform(expr.slice(0, open) + expr.slice(closingOf(expr, open) + 1));
}

/** Before the credits that are multiplied with their price. */
const PRICED = /credit_price\{[^}]*\}\) \* on \(org\) group_left \(\) max by \(org\) \($/;

/** What an expression adds up, or averages, over organizations of different platforms although it may not. */
export function mixedIn(expr: string): readonly string[] {
  const rest = withoutConditions(withoutOnePlatform(expr.replaceAll(/\boffset -?\w+|\[[^\]]*\]/g, '')));
  const mixed = [...rest.matchAll(GROUPED)].flatMap(({ 0: found, 1: kind = '', 2: by, index }) => {
    const open = index + found.length - 1;
    const inner = rest.slice(open + 1, closingOf(rest, open));
    const apart = listOf(by).some((label) => label === 'org' || label === 'platform');
    if (!['sum', 'avg', 'max', 'min'].includes(kind) || apart || / bool |^count by /.test(inner)) return [];
    return [...inner.matchAll(/\b(agent_platform[\w:]*)(?:\{([^}]*)\})?/g)].flatMap(
      ({ 0: selector, 1: name = '', 2: matchers = '', index: at }) => {
        const family = families.get(name.replace(/:\d+d$/, ''));
        const isOne = /(?:^|,)(?:org|platform)="/.test(matchers);
        const isPriced = PRICED.test(inner.slice(0, at));
        if (family === undefined || isOne || isPriced || isFactor(inner, selector)) return [];
        // The largest of all can be a day or an age, but neither credits nor tokens; of renamed labels only the names count.
        const isComparable = !/^(?:credits|tokens)$/.test(family.unit) || matchers.includes('exported_');
        const isFound = ['sum', 'avg'].includes(kind) || !isComparable;
        return addsUpOverAll(family) || !isFound ? [] : [`${kind} of ${name} over platforms`];
      },
    );
  });
  return [...new Set(mixed)];
}

/** The labels by which the answer of a query has series. */
function labelsOfAnswer(expr: string): readonly string[] {
  const [first] = expr.matchAll(GROUPED);
  return first === undefined ? [] : listOf(first[2] ?? first[4]);
}

/** The labels of an answer over which the values of one of its families do not add up. */
function apartIn(expr: string, among: readonly string[] = labelsOfAnswer(expr)): readonly string[] {
  const answer = labelsOfAnswer(expr);
  return among.filter(
    (label) =>
      answer.includes(label) &&
      valuesIn(expr).some(({ family, labels }) => labels.includes(label) && !addsUpOver(family, label)),
  );
}

/** That an answer is by organization, if one of its families does not add up over platforms. */
function ofPlatformsIn(expr: string): readonly string[] {
  const mixed = valuesIn(withoutOnePlatform(expr)).some(({ family }) => !addsUpOverAll(family));
  return mixed && labelsOfAnswer(expr).includes('org') ? ['platforms'] : [];
}

/** The overrides of a query's series. */
function lookOf({ fieldConfig }: Panel, { refId }: Target): ReadonlyMap<string, unknown> {
  const own = (fieldConfig?.overrides ?? []).filter(
    ({ matcher }) => matcher.id === 'byFrameRefID' && matcher.options === refId,
  );
  return new Map(own.flatMap(({ properties }) => properties.map(({ id, value }) => [id, value])));
}

/** The queries whose columns have a total in the footer. */
function totalsOf({ fieldConfig, transformations = [], targets = [] }: Panel): readonly Target[] {
  const titles = (fieldConfig?.overrides ?? [])
    .filter(({ properties }) =>
      properties.some(({ id, value }) => id === 'custom.footer' && JSON.stringify(value).includes('sum')),
    )
    .map(({ matcher }) => matcher.options);
  const renamed = transformations.flatMap(({ options }) =>
    Object.entries((options['renameByName'] ?? {}) as Readonly<Record<string, string>>),
  );
  const names = renamed.filter(([, title]) => titles.includes(title)).map(([name]) => name);
  return targets
    .filter(({ refId }) => targets.length === 1 || names.includes(`Value #${refId}`))
    .slice(0, names.length);
}

function stackingOf({ mode = 'none' }: { readonly mode?: string } = {}): boolean {
  return mode !== 'none';
}

/** Whether a query's series are one, or those that are left of the coloured ones. */
const ONE_OR_REST = /\) == 1\)$|\bunless on .*\btopk\(/s;

/** The labels whose values a chart draws in one colour, although they cannot be told apart or added up. */
function oneColoured(panel: Panel, target: Target): readonly string[] {
  const { expr, legendFormat = '' } = target;
  if (ONE_OR_REST.test(expr)) return [];
  const apart = new Set([...apartIn(expr), ...labelsOfAnswer(expr).filter((label) => label === 'org')]);
  const { mode } = (lookOf(panel, target).get('color') ?? {}) as { mode?: string };
  const named = (panel.fieldConfig?.overrides ?? []).some(({ matcher }) => matcher.id === 'byName');
  return [...apart].filter((label) => {
    if (!legendFormat.includes(`{{${label}}}`)) return true;
    return mode !== 'palette-classic' && !(named && legendFormat === `{{${label}}}` && label !== 'currency');
  });
}

function withTargets(panel: Panel, ...targets: readonly Target[]): Panel {
  return { ...panel, targets, transformations: [] };
}

const COST = 'agent_platform_daily_cost{job=~"$job",org=~"$org"}';
const CURRENCIES = {
  refId: 'A',
  expr: `sum by (currency) (max by (org,currency) (${COST}))`,
  legendFormat: '{{currency}}',
};

/** Rules about what is added up, and what can be told apart. */
export const sumRules: readonly Rule[] = [
  {
    name: 'sums nothing over a label whose values do not add up',
    violations: ofPanels(({ targets = [] }) => targets.flatMap(({ expr }) => summedIn(expr))),
    broken: (dashboard) =>
      withPanel(dashboard, (panel) =>
        withTargets(panel, { refId: 'A', expr: `sum by (org) (max by (org,currency) (${COST}))` }),
      ),
  },
  {
    name: 'adds up over platforms what counts the same on each alone',
    violations: ofPanels(({ targets = [] }) => targets.flatMap(({ expr }) => mixedIn(expr))),
    broken: (dashboard) =>
      withPanel(dashboard, (panel) =>
        withTargets(panel, {
          refId: 'A',
          expr: 'sum by () (max by (org) (agent_platform_daily_credits{job=~"$job",org=~"$org"}))',
        }),
      ),
  },
  {
    name: 'has no total of rows that do not add up',
    violations: ofPanels((panel) =>
      totalsOf(panel).flatMap(({ refId, expr }) =>
        /^\(?count/.test(expr)
          ? []
          : [...apartIn(expr), ...ofPlatformsIn(expr)].map(
              (label) => `the total of ${refId} is over ${label}`,
            ),
      ),
    ),
    broken: (dashboard) =>
      withPanel(dashboard, (panel) => ({
        ...withTargets(panel, CURRENCIES),
        transformations: [{ id: 'organize', options: { renameByName: { Total: 'Cost' } } }],
        fieldConfig: {
          defaults: {},
          overrides: [
            {
              matcher: { id: 'byName', options: 'Cost' },
              properties: [{ id: 'custom.footer', value: { reducers: ['sum'] } }],
            },
          ],
        },
      })),
  },
  {
    name: 'stacks nothing that does not add up',
    violations: ofPanels((panel) => {
      const { type, targets = [], fieldConfig } = panel;
      if (type !== 'timeseries' || !stackingOf(fieldConfig?.defaults.custom?.['stacking'] ?? {})) return [];
      return targets
        .filter((target) => !lookOf(panel, target).has('custom.stacking'))
        .flatMap(({ refId, expr }) => apartIn(expr).map((label) => `${refId} is stacked over ${label}`));
    }),
    broken: (dashboard) =>
      withPanel(dashboard, (panel) => ({
        ...withTargets(panel, CURRENCIES),
        type: 'timeseries',
        fieldConfig: { defaults: { custom: { stacking: { mode: 'normal' } } }, overrides: [] },
      })),
  },
  {
    name: 'gives organizations, and what does not add up, a colour and a name of their own',
    violations: ofPanels((panel) =>
      panel.type === 'timeseries'
        ? (panel.targets ?? []).flatMap((target) =>
            oneColoured(panel, target).map((label) => `${target.refId} has one look for each ${label}`),
          )
        : [],
    ),
    broken: (dashboard) =>
      withPanel(dashboard, (panel) => ({ ...withTargets(panel, CURRENCIES), type: 'timeseries' })),
  },
];
