/** Colours that people with any common colour blindness can tell apart (after Okabe and Ito). */
export const palette = {
  main: '#56B4E9',
  second: '#E69F00',
  third: '#009E73',
  fourth: '#CC79A7',
  fifth: '#F0E442',
  deep: '#0072B2',
  alarm: '#D55E00',
  quiet: '#999999',
} as const;

/** The colours in the order in which a panel's queries take them. */
export const sequence: readonly string[] = [
  palette.main,
  palette.second,
  palette.third,
  palette.fourth,
  palette.fifth,
  palette.deep,
  palette.alarm,
  palette.quiet,
];
