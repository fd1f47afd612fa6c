import { ConfigError } from '../text/errors.ts';
import { csvLine, type Spelling } from './csv.ts';
import type { Compared } from './format.ts';
import type { RowSink } from './sink.ts';

type Row = Readonly<Record<string, string>>;

/**
 * Compares the rows of a CSV export with `closed`, the text of an earlier one of the same options, and writes a row for each figure
 * that differs: with both values, empty where it was absent, and their difference. `count` is their number. Holds both files in memory. `finish` rejects with a
 * `ConfigError` if the earlier file is another one.
 */
export function createCorrections(
  closed: string,
  compared: Compared,
  orgs: readonly string[],
  target: RowSink,
): RowSink & { count(): number } {
  const { keys, figures, spelling } = compared;
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
      const [old, present] = [plain(was, spelling), plain(is, spelling)];
      const values = [old, present].map((text) => (text === '' ? null : Number(text)));
      await target.write(csvLine([...key, figure, ...values, differenceOf(present, old)], spelling));
    }
  }

  return {
    write(text) {
      chunks.push(text);
    },
    async finish() {
      const before = await rowsOf(closed, compared);
      const now = await rowsOf(chunks.join(''), compared);
      refuseOthers(before, now, compared, orgs);
      const [sample = {}] = before.values();
      header = new Set(Object.keys(sample));
      if (!figures.some((figure) => header.has(figure))) {
        throw new ConfigError(
          '--corrections: the file has no rows of such an export',
          'give the file that export --month wrote, and the options that it was written with',
        );
      }
      await target.write(csvLine([...keys, 'figure', 'at_close', 'now', 'difference'], spelling));
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

/** A number with a decimal point, whatever the file has. */
function plain(text: string, spelling: Spelling | undefined): string {
  return spelling?.delimiter === ';' ? text.replace(',', '.') : text;
}

/** Throws a `ConfigError` if the file is of another organization or another month. */
function refuseOthers(
  before: ReadonlyMap<string, Row>,
  now: ReadonlyMap<string, Row>,
  { period, organization }: Compared,
  orgs: readonly string[],
): void {
  const hint = 'give the file that export --month wrote, and the options that it was written with';
  const valuesOf = (rows: ReadonlyMap<string, Row>, column: string) =>
    new Set([...rows.values()].map((row) => row[column] ?? ''));
  const [closedOrgs, ownOrgs] = [valuesOf(before, organization), valuesOf(now, organization)];
  const other = [...closedOrgs].find((name) => !orgs.includes(name));
  if (other !== undefined) {
    throw new ConfigError(`--corrections: the file has rows of ${other}, which is not exported`, hint);
  }
  const missing = [...ownOrgs].find((name) => before.size > 0 && !closedOrgs.has(name));
  if (missing !== undefined) throw new ConfigError(`--corrections: the file has no row of ${missing}`, hint);
  const [periods, ownPeriods] = [valuesOf(before, period), valuesOf(now, period)];
  const [first] = periods;
  if (first !== undefined && ownPeriods.size > 0 && ![...periods].some((one) => ownPeriods.has(one))) {
    throw new ConfigError(`--corrections: the file is of ${first}, not of ${[...ownPeriods][0]}`, hint);
  }
}

/** The rows of a file by what identifies them. */
async function rowsOf(text: string, compared: Compared): Promise<ReadonlyMap<string, Row>> {
  const { keys } = compared;
  const rows = (await parseRows(text, compared)).map(({ record, info }) => {
    refuseRewritten(record, info.lines, compared);
    return record;
  });
  const byKey = new Map(rows.map((row) => [JSON.stringify(keys.map((name) => row[name] ?? '')), row]));
  if (byKey.size < rows.length) {
    throw new ConfigError(
      '--corrections: the file has several rows for what is one row with these options',
      'give the options that the file was written with; with --month, a file has no rows of single people',
    );
  }
  return byKey;
}

/** Throws a `ConfigError` for a row whose day, month or number a spreadsheet has written in its own way. */
function refuseRewritten(row: Row, line: number, { period, figures, spelling }: Compared): void {
  const isPeriod = (text: string) => /^\d{4}-\d{2}(?:-\d{2}(?:T00:00:00Z)?)?$/.test(text);
  const isNumber = (text: string) => /^(?:-?\d+(?:\.\d+)?)?$/.test(plain(text, spelling));
  const odd = Object.entries(row).find(([column, text]) => {
    if (column === period) return !isPeriod(text);
    return (
      figures.includes(column) && (!isNumber(text) || (spelling?.delimiter === ';' && text.includes('.')))
    );
  });
  if (odd === undefined) return;
  throw new ConfigError(
    `--corrections: line ${line}, ${odd[0]}: ${JSON.stringify(odd[1])} is not as it was written`,
    'a spreadsheet has changed the file when it saved it: give the original',
  );
}

async function parseRows(text: string, { spelling }: Compared) {
  const { CsvError, parse } = await import('csv-parse/sync');
  try {
    const options = { bom: true, columns: true, info: true, delimiter: spelling?.delimiter ?? ',' } as const;
    // A spreadsheet may have saved names in another normal form.
    return parse(text.normalize(), options) as unknown as readonly {
      readonly record: Row;
      readonly info: { readonly lines: number };
    }[];
  } catch (error) {
    const line = error instanceof CsvError ? `, line ${error['lines']}` : '';
    throw new ConfigError(
      `--corrections: the file is not CSV as it was written${line}`,
      'give the original, which no spreadsheet has saved, and the --delimiter that it was written with',
    );
  }
}
