import { Instruments } from '../../src/exposition/instruments.ts';

/** Instruments, and the lines of their metrics without the headers: the process's, then those of organizations. */
export class ReadInstruments extends Instruments {
  async lines(): Promise<readonly string[]> {
    const text = (await this.registry.metrics()) + Buffer.concat([...this.textsOfOrgs('text')]);
    return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  }
}
