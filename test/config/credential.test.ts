import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createFileCredential, createFixedCredential, secretIn } from '../../src/config/credential.ts';
import { createFiles } from '../../src/files/reader.ts';
import { createFakeFiles } from '../support/fake-files.ts';
import { configErrorOf } from './loading.ts';

describe('a key in a file', () => {
  test('is parsed once while the file stays as it is', async () => {
    const contents = new Map([['/key', 'first\n']]);
    const parsed: string[] = [];
    const credential = await createFileCredential('/key', 'the file', createFakeFiles(contents), (text) => {
      parsed.push(text);
      return text.trim();
    });
    await credential.read();
    expect(await credential.read()).toBe('first');
    contents.set('/key', 'second');
    expect(await credential.read()).toBe('second');
    expect(parsed).toEqual(['first\n', 'second']);
  });

  test('reports where it comes from, and what the log must not repeat', async () => {
    const contents = new Map([['/key', 'key-0']]);
    const credential = await createFileCredential('/key', 'the file', createFakeFiles(contents));
    for (let turn = 1; turn <= 10; turn++) {
      contents.set('/key', `key-${turn}`);
      await credential.read();
    }
    expect(credential.describe()).toBe('the file');
    expect(credential.secrets()).toHaveLength(8);
    expect(credential.secrets().at(-1)).toBe('key-10');
  });

  test.each(['key\n', 'key\r\n', '\ufeffkey\r\n', 'key \t\n'])(
    'may be written by any editor: %j',
    async (content) => {
      const files = createFakeFiles(new Map([['/key', content]]));
      expect(await (await createFileCredential('/key', 'the file', files)).read()).toBe('key');
    },
  );

  test.each<[string | Error, string]>([
    ['', 'the file is empty'],
    ['\n', 'the file is empty'],
    ['a\nb', 'the file contains a key with white space'],
    [' a', 'the file contains a key with white space'],
    ['"a"\n', 'the file contains quotation marks around the key: write the key alone'],
    ["'a", 'the file contains quotation marks around the key: write the key alone'],
    ['KEY=a\n', 'the file contains NAME= in front of the key: write the key alone'],
    ['export my_key="a"', 'the file contains NAME= in front of the key: write the key alone'],
    ['a\u0000', 'the file contains a key with non-ASCII characters'],
    [Object.assign(new Error(), { code: 'EACCES' }), 'the file cannot be read: permission denied'],
  ])('%j is rejected at start-up, and keeps the last good key in use later', async (content, message) => {
    const contents = new Map<string, string | Error>([['/key', content]]);
    const files = createFakeFiles(contents);
    expect((await configErrorOf(() => createFileCredential('/key', 'the file', files))).message).toBe(
      message,
    );
    contents.set('/key', 'good');
    const credential = await createFileCredential('/key', 'the file', files);
    contents.set('/key', content);
    expect(await credential.read()).toBe('good');
    expect(credential.problem()).toBe(message);
    contents.set('/key', 'good again');
    expect(await credential.read()).toBe('good');
    expect(credential.problem()).toContain('white space');
    contents.set('/key', 'mended');
    expect(await credential.read()).toBe('mended');
    expect(credential.problem()).toBeUndefined();
  });
});

describe('a key in a real file', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'credential-'));
  });
  afterEach(() => rm(directory, { recursive: true }));

  test('is read again after it was rewritten with the same number of bytes', async () => {
    const path = join(directory, 'key');
    await writeFile(path, 'aaaa\n');
    const credential = await createFileCredential(path, path, createFiles());
    await writeFile(path, 'bbbb\n');
    expect(await credential.read()).toBe('bbbb');
  });

  test('is read again when Kubernetes exchanges the directory behind a link', async () => {
    for (const version of ['1', '2']) {
      await mkdir(join(directory, version));
      await writeFile(join(directory, version, 'key'), `key-${version}`);
    }
    await symlink('1', join(directory, '..data'));
    await symlink('..data/key', join(directory, 'key'));
    const credential = await createFileCredential(join(directory, 'key'), 'x', createFiles());
    expect(await credential.read()).toBe('key-1');
    await symlink('2', join(directory, '..data_tmp'));
    await rename(join(directory, '..data_tmp'), join(directory, '..data'));
    expect(await credential.read()).toBe('key-2');
  });

  test('that is a directory is reported as such', async () => {
    const failure = await configErrorOf(() => createFileCredential(directory, 'the path', createFiles()));
    expect(failure.message).toBe('the path is a directory');
  });
});

test.each(['abc==', 'a=', '=a', 'fk-a/b+c=='])('a key that contains %s is taken as it is', async (key) => {
  expect(await createFixedCredential(key, 'KEY').read()).toBe(key);
});

test('a password or a URL may contain quotation marks and equals signs', async () => {
  for (const text of ['"a"', 'user=a'])
    expect(await createFixedCredential(text, 'KEY', secretIn).read()).toBe(text);
});

test('a key of the environment stays as it is', async () => {
  const credential = createFixedCredential('k\n', 'KEY');
  expect(await credential.read()).toBe('k');
  expect(credential.describe()).toBe('KEY');
  expect(credential.secrets()).toEqual(['k']);
});
