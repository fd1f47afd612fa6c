import { ConfigError } from '../runtime/errors.ts';
import { csvLine } from './csv.ts';
import type { ExportFormat } from './format.ts';
import type { RowSink } from './sink.ts';

type Row = Readonly<Record<string, string>>;

/**
 * Compares the rows of a CSV export with `closed`, the text of an earlier one of the same options, and writes a row for each figure
 * that differs: with both values, empty where it was absent, and their difference. `count` is their number. Holds both files in memory. `finish` rejects with a
 * `ConfigError` if the earlier file is another one.
 */
export function createCorrections(
  closed: string,
  { keys, figures }: NonNullable<ExportFormat['compared']>,
  target: RowSink,
): RowSink & { count(): number } {
  const chunks: string[] = [];
  let corrections = 0;
  let header: ReadonlySet<string> = new Set();

  async function compare(before: Row = {}, now: Row = {}): Promise<void> {
    for (const figure of figures) {
      const [was, is] = [before[figure] ?? '', now[figure] ?? ''];
      // A release may have added figures since.
      if (was === is || !header.has(figure)) continue;
      corrections++;
      const key = keys.map((name) => now[name] ?? before[name] ?? '');
      const values = [was, is].map((text) => (text === '' ? null : Number(text)));
      await target.write(csvLine([...key, figure, ...values, differenceOf(is, was)]));
    }
  }

  return {
    write(text) {
      chunks.push(text);
    },
    async finish() {
      const [before, now] = [await rowsOf(closed, keys), await rowsOf(chunks.join(''), keys)];
      const [sample = {}] = before.values();
      header = new Set(Object.keys(sample));
      if (!figures.some((figure) => header.has(figure))) {
        throw new ConfigError(
          '--corrections: the file has no rows of such an export',
          'give the file that export --month wrote, and the options that it was written with',
        );
      }
      await target.write(csvLine([...keys, 'figure', 'at_close', 'now', 'difference']));
      for (const key of new Set([...now.keys(), ...before.keys()]))
        await compare(before.get(key), now.get(key));
      await target.finish();
    },
    abandon: target.abandon,
    count: () => corrections,
  };
}

/** The difference of two decimals without the rounding error of their subtraction; an absent one counts as 0. */
function differenceOf(is: string, was: string): number {
  const decimals = Math.max(...[is, was].map((text) => text.split('.')[1]?.length ?? 0));
  return Number((Number(is) - Number(was)).toFixed(decimals));
}

/** The rows of a file by what identifies them. */
async function rowsOf(text: string, keys: readonly string[]): Promise<ReadonlyMap<string, Row>> {
  const rows = await parseRows(text);
  const byKey = new Map(rows.map((row) => [JSON.stringify(keys.map((name) => row[name] ?? '')), row]));
  if (byKey.size < rows.length) {
    throw new ConfigError(
      '--corrections: the file has several rows for what is one row with these options',
      'give the options that the file was written with; with --month, a file has no rows of single people',
    );
  }
  return byKey;
}

async function parseRows(text: string): Promise<readonly Row[]> {
  const { parse } = await import('csv-parse/sync');
  try {
    return parse(text, { bom: true, columns: true });
  } catch {
    throw new ConfigError('--corrections: the file is not valid CSV');
  }
}
