// Writes the bill of materials of a release, as CycloneDX: the packages installed with this one, from the lock file, and the
// Node.js that runs this script, which is that of the executables, with the libraries inside.
import { readFileSync, writeFileSync } from 'node:fs';
import { npm } from './npm.ts';

interface Component {
  readonly 'bom-ref': string;
  readonly type: string;
  readonly name: string;
  readonly version: string;
  readonly cpe?: string;
  readonly purl: string;
  readonly properties: readonly { readonly name: string; readonly value: string }[];
}

interface Bill {
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

/** Not libraries: numbers of interfaces. */
const INTERFACES = ['modules', 'napi'];

/** The vendors and products by which databases of vulnerabilities know parts of Node.js. */
const PRODUCTS: Readonly<Record<string, string>> = {
  node: 'nodejs:node.js',
  ares: 'c-ares_project:c-ares',
  brotli: 'google:brotli',
  icu: 'unicode:international_components_for_unicode',
  llhttp: 'llhttp:llhttp',
  nghttp2: 'nghttp2:nghttp2',
  openssl: 'openssl:openssl',
  sqlite: 'sqlite:sqlite',
  undici: 'nodejs:undici',
  uv: 'libuv:libuv',
  v8: 'google:v8',
  zlib: 'zlib:zlib',
  zstd: 'facebook:zstandard',
};

const [file = 'sbom.cdx.json'] = process.argv.slice(2);
const { name } = JSON.parse(readFileSync('package.json', 'utf8')) as { name: string };
const { output, code } = npm([
  'sbom',
  '--sbom-format=cyclonedx',
  '--sbom-type=application',
  '--package-lock-only',
]);
if (code !== 0) throw new Error('npm sbom failed');
const bill = withNode(withoutDevelopment(JSON.parse(output) as Bill));
// npm names the project after its directory.
const component = { ...bill.metadata.component, name };
writeFileSync(file, `${JSON.stringify({ ...bill, metadata: { ...bill.metadata, component } }, null, 2)}\n`);
console.log(`${file}: ${bill.components.length} components`);

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

function withNode(bill: Bill): Bill {
  const parts = Object.entries(process.versions).flatMap(([name, version = '']) =>
    version === '' || INTERFACES.includes(name) ? [] : [partOfNode(name, version)],
  );
  const [node, ...libraries] = parts.map((part) => part['bom-ref']);
  if (node === undefined) throw new Error('process.versions is empty');
  const own = bill.metadata.component['bom-ref'];
  const dependencies = bill.dependencies.map(({ ref, dependsOn }) =>
    ref === own ? { ref, dependsOn: [...dependsOn, node] } : { ref, dependsOn },
  );
  return {
    ...bill,
    components: [...bill.components, ...parts],
    dependencies: [...dependencies, { ref: node, dependsOn: libraries }],
  };
}

function partOfNode(name: string, version: string): Component {
  const purl = `pkg:generic/${name}@${encodeURIComponent(version)}`;
  const product = PRODUCTS[name];
  return {
    'bom-ref': purl,
    type: name === 'node' ? 'application' : 'library',
    name,
    version,
    // A suffix is that of Node.js' own changes.
    ...(product === undefined
      ? {}
      : { cpe: `cpe:2.3:a:${product}:${version.split(/[-+]/)[0]}:*:*:*:*:*:*:*` }),
    purl,
    properties: [],
  };
}
