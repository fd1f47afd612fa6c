// Decides whether and as what a tag can be released: `node scripts/release/prepare.ts --tag=v1.2.3 [--output=FOLDER]
// [--repository=URL]`. Otherwise exits with 1 and a sentence per problem. Asks npm for what is published, because whatever is
// released is there. Writes the release notes, and prints the workflow's variables as NAME=VALUE.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { npm } from '../npm.ts';
import { project } from '../project/project.ts';
import { channelsOf, releaseNotes, releaseProblems } from './plan.ts';

const { values } = parseArgs({
  options: {
    tag: { type: 'string', default: '' },
    output: { type: 'string', default: 'release' },
    repository: { type: 'string' },
  },
});
const { tag, repository } = values;
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };
const changelog = readFileSync('CHANGELOG.md', 'utf8');
const published = publishedVersions();
const problems = releaseProblems({ tag, version, changelog, project, repository, published });
if (problems.length > 0) {
  console.error(problems.map((problem) => `nothing is released: ${problem}`).join('\n'));
  process.exitCode = 1;
} else {
  mkdirSync(values.output, { recursive: true });
  writeFileSync(join(values.output, 'notes.md'), releaseNotes(changelog, version) ?? '');
  const { tags, distTag, isCandidate, isLatest } = channelsOf(version, published);
  console.log(`version=${version}`);
  console.log(`package=${project.package}`);
  console.log(`image=${project.image}`);
  console.log(`charts=${project.charts}`);
  console.log(`tags=${tags.join(' ')}`);
  console.log(`dist_tag=${distTag}`);
  console.log(`candidate=${isCandidate}`);
  console.log(`latest=${isLatest}`);
  console.log(`published=${published.join(' ')}`);
}

/** Every version that npm has; none if it does not know the package. Throws if it gives no answer. */
function publishedVersions(): readonly string[] {
  const { output } = npm(['view', project.package, 'versions', '--json']);
  const answer = JSON.parse(output) as
    | string
    | readonly string[]
    | { readonly error: { readonly code: string } };
  if (typeof answer === 'string') return [answer];
  if (!('error' in answer)) return answer;
  if (answer.error.code === 'E404') return [];
  throw new Error(`npm does not say which versions are published: ${answer.error.code}`);
}
