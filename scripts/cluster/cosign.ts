import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { cached, go } from './go.ts';

// renovate: datasource=go depName=github.com/sigstore/cosign/v2
const VERSION = '2.6.1';
const folder = cached(`cosign-v${VERSION}`);

/** The program in the build cache; it exists once `buildCosign` has run. */
export const COSIGN = join(folder, 'cosign');

/** Builds cosign from the Go module proxy unless it is cached, which takes some minutes. */
export function buildCosign(log: (line: string) => void): void {
  if (existsSync(COSIGN)) return;
  log(`building cosign v${VERSION} into ${folder}: this takes minutes, once`);
  mkdirSync(folder, { recursive: true });
  go(['install', '-trimpath', `github.com/sigstore/cosign/v2/cmd/cosign@v${VERSION}`], folder, {
    GOBIN: folder,
    GOFLAGS: '',
  });
}
