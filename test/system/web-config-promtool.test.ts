import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { caseFiles, withFiles } from '../web-config/folder.ts';
import { createPrograms } from './programs.ts';
import { requireTool } from './tools.ts';

const directory = new URL('../web-config/cases/', import.meta.url);
const names = readdirSync(directory);

describe.runIf(requireTool('promtool'))('promtool checks web configuration files', () => {
  const programs = createPrograms();
  let folder = '';

  beforeAll(() => {
    folder = programs.folder();
    const files = caseFiles();
    for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
    for (const name of names) {
      const text = readFileSync(new URL(name, directory), 'utf8');
      writeFileSync(join(folder, name), withFiles(text, files));
    }
  });

  // If the two differ, the case says what promtool does, and why.
  test.each(names)('%s', async (name) => {
    const text = readFileSync(new URL(name, directory), 'utf8');
    const ours = name.endsWith('.ok.yml') ? 'accepts' : 'refuses';
    const expected = /^# promtool: (accepts|refuses)\b/m.exec(text)?.[1] ?? ours;
    const { code, stderr } = await programs.run('promtool', ['check', 'web-config', join(folder, name)]);
    expect(code === 0 ? 'accepts' : 'refuses', stderr).toBe(expected);
  });
});
