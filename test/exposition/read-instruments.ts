import {
  createInstruments,
  type Instruments,
  type InstrumentsDeps,
} from '../../src/exposition/instruments.ts';

/** Instruments, and the lines of their metrics without the headers: the process's, then those of organizations. */
export function createReadInstruments(
  deps: InstrumentsDeps,
): Instruments & { lines(): Promise<readonly string[]> } {
  const instruments = createInstruments(deps);
  return {
    ...instruments,
    async lines() {
      const text =
        (await instruments.registry.metrics()) + Buffer.concat([...instruments.textsOfOrgs('text')]);
      return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    },
  };
}
