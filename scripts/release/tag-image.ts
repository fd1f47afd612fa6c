// Runs a command once for each tag of a version, the exact one first, with `{}` replaced by IMAGE:TAG:
// `tag-image.ts --image=IMAGE --version=1.2.3 -- docker buildx imagetools create --tag {} IMAGE@DIGEST`.
import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { imageTags } from './plan.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { image: { type: 'string' }, version: { type: 'string' } },
});
const { image, version } = values;
const [command, ...words] = positionals;
if (image === undefined || version === undefined || command === undefined)
  throw new Error('needs --image, --version and a command');
for (const tag of imageTags(version)) {
  const name = `${image}:${tag}`;
  const args = words.map((word) => word.replaceAll('{}', name));
  execFileSync(command, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  console.log(name);
}
