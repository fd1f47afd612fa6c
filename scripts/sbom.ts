// Writes the bill of materials of the packages installed with this one, as CycloneDX, from the lock file.
import { readFileSync, writeFileSync } from 'node:fs';
import { npm } from './npm.ts';

interface Component {
  readonly 'bom-ref': string;
  readonly properties: readonly { readonly name: string; readonly value: string }[];
}

interface Bill {
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

const [file = 'sbom.cdx.json'] = process.argv.slice(2);
const { name } = JSON.parse(readFileSync('package.json', 'utf8')) as { name: string };
const { output, code } = npm([
  'sbom',
  '--sbom-format=cyclonedx',
  '--sbom-type=application',
  '--package-lock-only',
]);
if (code !== 0) throw new Error('npm sbom failed');
const bill = withoutDevelopment(JSON.parse(output) as Bill);
// npm names the project after its directory.
const component = { ...bill.metadata.component, name };
writeFileSync(file, `${JSON.stringify({ ...bill, metadata: { ...bill.metadata, component } }, null, 2)}\n`);
console.log(`${file}: ${bill.components.length} packages`);

/** npm's own `--omit=dev` also omits packages that are used both in development and by the package itself. */
function withoutDevelopment(whole: Bill): Bill {
  const components = whole.components.filter(
    ({ properties }) => !properties.some((property) => property.name === 'cdx:npm:package:development'),
  );
  const kept = new Set([
    whole.metadata.component['bom-ref'],
    ...components.map((component) => component['bom-ref']),
  ]);
  const dependencies = whole.dependencies
    .filter(({ ref }) => kept.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => kept.has(other)) }));
  return { ...whole, components, dependencies };
}
