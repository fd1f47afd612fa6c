/** Colours that can be distinguished with any common colour blindness (after Okabe and Ito, and Tol). */
export const palette = {
  main: '#56B4E9',
  second: '#E69F00',
  third: '#009E73',
  fourth: '#CC79A7',
  fifth: '#F0E442',
  deep: '#0072B2',
  last: '#999933',
  alarm: '#D55E00',
  quiet: '#8C8C8C',
} as const;

/** Grafana's name of the colour of text, which can be read in both themes at any size. */
export const TEXT = 'text';

/** For text that warns: dark enough on white and light enough on black, at the size of a number in a tile. */
export const WARNING_TEXT = '#C08400';

/** A colour for each of a few known names; others of the same query should be `quiet`. */
export function coloursOf(names: readonly string[]): {
  readonly colour: string;
  readonly colours: Readonly<Record<string, string>>;
} {
  const pairs = names.map((name, index) => [name, sequence[index % sequence.length] ?? palette.main]);
  return { colour: palette.quiet, colours: Object.fromEntries(pairs) };
}

/** The colours of a panel's queries, in order, without that of alarms. */
export const sequence: readonly string[] = [
  palette.main,
  palette.second,
  palette.third,
  palette.fourth,
  palette.fifth,
  palette.deep,
  palette.last,
  palette.quiet,
];
