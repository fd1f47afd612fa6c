// Joins the images of several architectures to one, without building anything: `join-images.ts --output=FOLDER LAYOUT…` reads and
// writes OCI layouts, and prints the digest of the new index. Manifests and layers stay as they are, with their digests.
import { createHash } from 'node:crypto';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

interface Index {
  readonly manifests: readonly Descriptor[];
}

const INDEX = 'application/vnd.oci.image.index.v1+json';

const { values, positionals: layouts } = parseArgs({
  allowPositionals: true,
  options: { output: { type: 'string' } },
});
const { output } = values;
if (output === undefined || layouts.length === 0) throw new Error('needs --output and at least one layout');
for (const layout of layouts) cpSync(layout, output, { recursive: true });
const manifests = layouts.flatMap((layout) => manifestsOf(layout, read(join(layout, 'index.json'))));
const text = JSON.stringify({ schemaVersion: 2, mediaType: INDEX, manifests });
const hash = createHash('sha256').update(text).digest('hex');
writeFileSync(join(output, 'blobs/sha256', hash), text);
const whole: Descriptor = { mediaType: INDEX, digest: `sha256:${hash}`, size: Buffer.byteLength(text) };
writeFileSync(join(output, 'index.json'), JSON.stringify({ schemaVersion: 2, manifests: [whole] }));
console.log(whole.digest);

/** The manifests of an image with those of its attestations, which a builder puts into an index of their own. */
function manifestsOf(layout: string, { manifests: listed }: Index): readonly Descriptor[] {
  return listed.flatMap((descriptor) =>
    descriptor.mediaType === INDEX
      ? manifestsOf(layout, read(join(layout, 'blobs', descriptor.digest.replace(':', '/'))))
      : [descriptor],
  );
}

function read(file: string): Index {
  return JSON.parse(readFileSync(file, 'utf8')) as Index;
}
