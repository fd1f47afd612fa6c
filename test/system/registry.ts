import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../bench/programs.ts';
import { waitFor } from '../support/wait-for.ts';
import type { Programs } from './programs.ts';

/** Starts an empty registry of images and charts on loopback and returns its address, such as `127.0.0.1:5000`. */
export async function startRegistry(programs: Programs): Promise<string> {
  const folder = programs.folder();
  const address = `127.0.0.1:${await freePort()}`;
  const config = join(folder, 'registry.yml');
  const storage = `storage: {filesystem: {rootdirectory: ${join(folder, 'data')}}}`;
  await writeFile(config, `version: 0.1\n${storage}\nhttp: {addr: '${address}'}\n`);
  programs.start('registry', ['serve', config]);
  await waitFor(async () => expect200(await fetch(`http://${address}/v2/`)));
  return address;
}

function expect200({ status }: Response): void {
  if (status !== 200) throw new Error(`answered ${status}`);
}
