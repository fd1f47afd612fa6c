// Judges this repository by the criteria of the readiness reports that the exporter publishes: a line each with what was
// looked at. Exits with 1 below nine tenths of those that apply.
import { checks } from './checks.ts';
import { judge, shareOf, type Verdict } from './evidence.ts';

const LEAST_SHARE = 0.9;

const verdicts = judge(process.cwd(), checks);

function print(title: string, wanted: Verdict['verdict']): void {
  const found = verdicts.filter(({ verdict }) => verdict === wanted);
  console.log(`${title}: ${found.length}`);
  for (const { criterion, because } of found) console.log(`  ${criterion.padEnd(30)}${because}`);
  console.log();
}

print('Pass, by', 'pass');
print('Fail, for lack of', 'fail');
print('Do not apply, because', 'not applicable');
const share = shareOf(verdicts);
console.log(
  `${(share * 100).toFixed(1)} % of the applicable criteria pass; at least ${LEAST_SHARE * 100} % should.`,
);
process.exitCode = share >= LEAST_SHARE ? 0 : 1;
