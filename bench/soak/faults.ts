/**
 * The faults of the platform, each active for a while in turn; the empty one lets everything recover. No key is
 * rejected, because that requires action by an operator and is rightly logged as an error.
 */
const SPELLS: readonly (readonly string[])[] = [
  [],
  ['500=0.3', 'slow=0.2:200'],
  ['429=0.2:1', 'close=0.1'],
  [],
  ['cut-off=0.2', 'malformed=0.1', 'html=0.1'],
  ['bad-rows=0.3', 'huge-numbers=0.2'],
  ['503'],
  [],
  ['oversize=2000000', 'empty-body=0.2'],
  ['revised-days', 'no-by-model'],
  ['late', 'clock-behind=2', 'null-numerators', 'error-body=html'],
];

/** The faults of the period with that number, counted from 0; the list repeats indefinitely. */
export function spell(number: number): readonly string[] {
  return SPELLS[number % SPELLS.length] ?? [];
}
