import { parseArgs } from 'node:util';
import { LIMITS } from './limits.ts';
import { describeRoad, walkRoads } from './roads.ts';

// Counts the files and functions of `src` whose code runs on the usual roads through the exporter; --files lists the files,
// --json prints the counts for the test that limits them.

const { values } = parseArgs({ options: { files: { type: 'boolean' }, json: { type: 'boolean' } } });

const walked = await walkRoads();
const counts = [...walked].map(([name, { files, functions }]) => ({ name, files: files.length, functions }));
if (values.json) console.log(JSON.stringify(counts));
else {
  console.log(
    `${'road'.padEnd(16)}${'files'.padStart(8)}${'limit'.padStart(8)}${'functions'.padStart(12)}${'limit'.padStart(8)}`,
  );
  for (const { name, files, functions } of counts) {
    const limit = LIMITS[name];
    const columns = [String(files).padStart(8), String(limit.files).padStart(8)];
    columns.push(String(functions).padStart(12), String(limit.functions).padStart(8));
    console.log(`${name.padEnd(16)}${columns.join('')}  ${describeRoad(name)}`);
  }
}
if (values.files) {
  for (const [name, { files }] of walked) console.log(`\n${name}\n${files.join('\n')}`);
}
