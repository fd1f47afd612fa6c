// Measures the program as whole processes, alone or against another checkout: npm run bench -- --help
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { Case } from './cases/case.ts';
import { CASES, QUICK_CASES } from './cases/index.ts';
import { buildCheckout, type Checkout, ROOT } from './checkout.ts';
import { createFigures, type Figures, type Side } from './figures.ts';
import { describeMachine } from './machine.ts';
import { keepSoak } from './soak/section.ts';

const NAMES = CASES.map(({ name, onRequest }) => (onRequest ? `(${name})` : name)).join(', ');
const USAGE = `npm run bench -- [options]
  --only NAME,NAME     only these of ${NAMES};
                       those in parentheses are measured only if they are named
  --against DIRECTORY  measures another checkout, with its node_modules, in turn with this one
  --runs NUMBER        runs of each case, in place of its own number
  --quick              one run of the smallest sizes: shows that everything works
  --cpu-prof DIRECTORY writes a CPU profile of each serve of this checkout
  --write              writes docs/BENCHMARKS.md; not with --only or --quick`;

try {
  await bench();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

async function bench(): Promise<void> {
  const { cases, against, write, profiles } = readOptions();
  const checkout = buildCheckout(ROOT);
  const other = against === undefined ? undefined : buildCheckout(path.resolve(against));
  const figures = createFigures();
  for (const one of cases) await measure(one, { checkout, other, figures, profiles });
  const page = renderPage(cases, figures, checkout, other);
  console.log(page);
  if (!write) return;
  const file = path.join(ROOT, 'docs', 'BENCHMARKS.md');
  writeFileSync(file, existsSync(file) ? keepSoak(page, readFileSync(file, 'utf8')) : page);
}

function readOptions() {
  const { values } = parse();
  const all = values.quick ? QUICK_CASES : CASES;
  const names = values.only?.split(',');
  const cases = all
    .filter(({ name, onRequest }) => names?.includes(name) ?? onRequest !== true)
    .map((one) => (values.runs === undefined ? one : { ...one, runs: Number(values.runs) }));
  const isUnknown = names?.some((name) => !all.some((one) => one.name === name)) ?? false;
  const isPartial = values.write && (names !== undefined || values.quick);
  if (isUnknown || isPartial || cases.some(({ runs }) => !(Number.isInteger(runs) && runs > 0)))
    throw new Error(USAGE);
  return { cases, against: values.against, write: values.write, profiles: values['cpu-prof'] };
}

function parse() {
  try {
    return parseArgs({
      options: {
        only: { type: 'string' },
        against: { type: 'string' },
        runs: { type: 'string' },
        'cpu-prof': { type: 'string' },
        quick: { type: 'boolean', default: false },
        write: { type: 'boolean', default: false },
      },
    });
  } catch {
    throw new Error(USAGE);
  }
}

interface Sides {
  readonly checkout: Checkout;
  readonly other: Checkout | undefined;
  readonly figures: Figures;
  readonly profiles: string | undefined;
}

/** Measures the checkouts in turn; every second run begins with the other one, so that a steady change of the machine's speed cancels. */
async function measure(one: Case, { checkout, other, figures, profiles }: Sides): Promise<void> {
  for (let run = 0; run < one.runs; run++) {
    const sides: readonly (readonly [Side, Checkout])[] = [
      ['measured', checkout],
      ...(other === undefined ? [] : [['other', other] as const]),
    ];
    for (const [side, measured] of run % 2 === 0 ? sides : sides.toReversed()) {
      const folder = mkdtempSync(path.join(tmpdir(), 'bench-'));
      const startedAt = performance.now();
      console.error(`${one.name}, run ${run + 1} of ${one.runs}: ${measured.commit}`);
      const take = figures.recorderFor(one.name, side);
      const profileFolder = profiles && side === 'measured' ? path.resolve(profiles, one.name) : undefined;
      if (profileFolder !== undefined) mkdirSync(profileFolder, { recursive: true });
      try {
        await one.measure({
          checkout: measured,
          helper: checkout,
          folder,
          profiles: profileFolder,
          record(what, unit, value, bound) {
            const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
            console.error(`  ${seconds.padStart(4)} s  ${what}: ${value.toPrecision(4)} ${unit}`);
            take(what, unit, value, bound);
          },
        });
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    }
  }
}

function renderPage(
  cases: readonly Case[],
  figures: Figures,
  checkout: Checkout,
  other: Checkout | undefined,
): string {
  const explained = cases.map(({ name, what, runs }) => `- **${name}** (runs: ${runs}): ${what}`);
  return `# Benchmarks

Written by \`npm run bench -- --write\` from a single run, without manual changes. Whole processes are measured from
outside, against the simulated platform in a process of its own on the same machine, which takes its share of the cores.
Absolute values are of this machine, whose share of its host's cores varies; bounds were set when it was faster. A missed bound
of time is a fault of the program only if \`--against\`, which measures an older checkout in turns, shows that one to be faster.

A figure is the median of the runs of its case${
    other === undefined
      ? ''
      : `; a ratio is
that of this checkout to the other, run by run, in turns: in parentheses the quartiles, or the extremes of fewer than five runs`
  }.

Times and the longest block of the event loop contain the time for which the program waited for a core, because the machine
had other work: of its main thread, that is shown too. CPU times do not contain it.

Machine: ${describeMachine()}. Commit: ${checkout.commit}${other === undefined ? '' : `, against ${other.commit}`}.

${figures.render(checkout.commit, other?.commit)}

## Cases

${explained.join('\n')}
`;
}
