// `node scripts/public-holidays.ts`: writes the public holidays of all countries to `src/config/public-holidays.json`. It
// installs the package `date-holidays` into build/holidays: with its own packages it has 45 MB, the list 85 kB.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

// renovate: datasource=npm depName=date-holidays
const VERSION = '3.37.0';
const YEARS = Array.from({ length: 12 }, (_, index) => 2025 + index);
const DAY_MS = 86_400_000;
const ROOT = path.resolve(import.meta.dirname, '..');
const FOLDER = path.join(ROOT, 'build/holidays');

interface Holiday {
  /** The local day of its beginning, with a time behind it. */
  readonly date: string;
  readonly start: Date;
  readonly end: Date;
  readonly type: string;
}
interface Holidays {
  getCountries(): Readonly<Record<string, string>>;
  getHolidays(year: number): readonly Holiday[] | undefined;
}

const args = ['install', '--prefix', FOLDER, '--ignore-scripts', '--no-audit', '--no-fund'];
const { status } = spawnSync('npm', [...args, `date-holidays@${VERSION}`], { stdio: 'inherit' });
if (status !== 0) throw new Error('npm install in build/holidays failed');
const entry = pathToFileURL(path.join(FOLDER, 'node_modules/date-holidays/src/index.js'));
const { default: Calendar } = (await import(entry.href)) as {
  readonly default: new (country?: string) => Holidays;
};

const lines = Object.keys(new Calendar().getCountries())
  .sort()
  .map((country) => `  ${JSON.stringify(country)}: ${JSON.stringify(daysOf(new Calendar(country)))}`);
writeFileSync(path.join(ROOT, 'src/config/public-holidays.json'), `{\n${lines.join(',\n')}\n}\n`);

/** The days of every year as `MMDD`, then those of single years: `0101 1225;25 0421;26 0406`. */
function daysOf(calendar: Holidays): string {
  const byYear = new Map(YEARS.map((year) => [year, new Set<string>()]));
  // A holiday can begin in one year and end in the next, and a substitute be that of a day of another year.
  for (const year of [(YEARS[0] ?? 0) - 1, ...YEARS, (YEARS.at(-1) ?? 0) + 1]) {
    for (const { date, start, end, type } of calendar.getHolidays(year) ?? []) {
      if (type !== 'public') continue;
      const days = Math.max(1, Math.round((end.getTime() - start.getTime()) / DAY_MS));
      for (let nth = 0; nth < days; nth++) {
        const day = new Date(Date.parse(date.slice(0, 10)) + nth * DAY_MS).toISOString();
        byYear.get(Number(day.slice(0, 4)))?.add(day.slice(5, 7) + day.slice(8, 10));
      }
    }
  }
  const [first = new Set(), ...others] = byYear.values();
  const always = [...first].filter((day) => others.every((days) => days.has(day)));
  const single = [...byYear].map(([year, days]) =>
    [String(year - 2000), ...[...days].filter((day) => !always.includes(day)).sort()].join(' '),
  );
  return [always.sort().join(' '), ...single].join(';');
}
