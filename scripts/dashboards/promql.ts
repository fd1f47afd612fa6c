/** The names used in a PromQL text: parses as much of the language as the catalogue's queries need. */
export interface Named {
  readonly selectors: readonly Selector[];
  /** The labels it groups or matches by. */
  readonly grouped: readonly string[];
  /** The labels it joins from others. */
  readonly joined: readonly string[];
  /** The windows of `rate` and `increase`, each with its metric. */
  readonly risen: readonly { readonly metric: string; readonly window: string }[];
}

interface Selector {
  readonly metric: string;
  readonly matchers: ReadonlyMap<string, string>;
}

const WORDS = new Set(
  `abs and avg avg_over_time bool bottomk by clamp_max clamp_min count end group_left histogram_quantile ignoring
  increase label_join label_replace last_over_time max max_over_time min offset on or rate scalar sum sum_over_time time topk unless without`.split(
    /\s+/,
  ),
);
const STRING = /"(?:[^"\\]|\\.)*"/g;

export function namedIn(expression: string): Named {
  const strings: string[] = [];
  const bothForms = expression.replaceAll('$raw(', 'max by (').replaceAll('$recorded(', 'last_over_time(');
  const timed = bothForms.replaceAll(/\$\{__\w+(?::\w+)*\}|\$__(?:from|to)\b/g, '0');
  const text = timed.replaceAll(STRING, (found) => `§${strings.push(found) - 1}§`);
  const selectors = [...text.matchAll(/([a-zA-Z_:][\w:]*)\{([^}]*)\}/g)].map(
    ([, metric = '', inside = '']) => ({
      metric,
      matchers: new Map(inside.split(',').map((matcher) => matcherOf(matcher, strings))),
    }),
  );
  const groups = [...text.matchAll(/\b(?:by|on|ignoring|group_left)\s*\(([^)]*)\)/g)];
  const risen = [...text.matchAll(/\b(?:rate|increase)\(([\w:]+)\{[^}]*\}\[([^\]]+)\]\)/g)];
  // A store's counter over a range is put together from its replicas first.
  const stores =
    /\bincrease\(\(max by \([^)]*\bstore\) \(([\w:]+)\{[^}]*\} \* [^[]*\)\)\[(\$__range):1m\]\)/g;
  risen.push(...text.matchAll(stores));
  const bare = text
    .replaceAll(/[\w:]+\{[^}]*\}/g, '')
    .replaceAll(/\b(?:by|on|ignoring|group_left)\s*\([^)]*\)/g, '')
    .replaceAll(/\[[^\]]*\]|offset -?(?:\d+[a-z])+|§\d+§|\b\d[\w.]*/g, '');
  const unselected = [...bare.matchAll(/[a-zA-Z_:][\w:]*/g)]
    .map(([word]) => word)
    .filter((word) => !WORDS.has(word));
  return {
    selectors: [...selectors, ...unselected.map((metric) => ({ metric, matchers: new Map() }))],
    grouped: groups
      .flatMap(([, inside = '']) => inside.split(',').map((label) => label.trim()))
      .filter(Boolean),
    joined: [...timed.matchAll(/, "(\w+)", "[^"]*"(?:, "\w+")+\)/g)].map(([, label = '']) => label),
    risen: risen.map(([, metric = '', window = '']) => ({ metric, window })),
  };
}

function matcherOf(text: string, strings: readonly string[]): [string, string] {
  const [, label = '', operator = '', index = ''] = /^\s*(\w+)(=~|!=|!~|=)§(\d+)§/.exec(text) ?? [];
  return [label, `${operator}${(strings[Number(index)] ?? '').slice(1, -1)}`];
}
