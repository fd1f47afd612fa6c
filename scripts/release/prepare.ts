// Decides whether a tag can be released: `node scripts/release/prepare.ts --tag=v1.2.3 [--output=FOLDER]`. Otherwise exits
// with 1 and a sentence per problem. Writes the release notes, and prints the workflow's variables as NAME=VALUE.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { project } from '../project/project.ts';
import { imageTags, releaseNotes, releaseProblems } from './plan.ts';

const { values } = parseArgs({
  options: { tag: { type: 'string', default: '' }, output: { type: 'string', default: 'release' } },
});
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };
const changelog = readFileSync('CHANGELOG.md', 'utf8');
const problems = releaseProblems({ tag: values.tag, version, changelog, project });
if (problems.length > 0) {
  console.error(problems.map((problem) => `nothing is released: ${problem}`).join('\n'));
  process.exitCode = 1;
} else {
  mkdirSync(values.output, { recursive: true });
  writeFileSync(join(values.output, 'notes.md'), releaseNotes(changelog, version) ?? '');
  console.log(`version=${version}`);
  console.log(`image=${project.image}`);
  console.log(`charts=${project.charts}`);
  console.log(`tags=${imageTags(version).join(' ')}`);
}
