import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createShard, serves, shardOf, takesHookEvents } from '../../src/config/shard.ts';
import { configErrorOf, load } from './loading.ts';

const orgNames = fc.uniqueArray(fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,20}$/), { maxLength: 40 });
const totals = fc.integer({ min: 1, max: 1000 });

describe('the shard of an organization', () => {
  test('is exactly one, for any number of shards', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 60 }), (org, total) => {
        const serving = Array.from({ length: total }, (_, index) => createShard(index, total)).filter(
          (shard) => serves(shard, org),
        );
        expect(serving).toEqual([{ index: shardOf(org, total), total }]);
      }),
    );
  });

  test('stays when a shard is added, but for the organizations that go to the new one', () => {
    fc.assert(
      fc.property(orgNames, totals, (names, total) => {
        for (const name of names) {
          const after = shardOf(name, total + 1);
          expect([shardOf(name, total), total]).toContain(after);
        }
      }),
    );
  });

  test('never changes over releases', () => {
    const names = ['acme', 'globex', 'default', 'Initech GmbH', 'umbrella-2'];
    expect(names.map((name) => [3, 4, 16, 1000].map((total) => shardOf(name, total)))).toEqual([
      [1, 1, 10, 126],
      [0, 0, 6, 779],
      [2, 2, 12, 535],
      [0, 0, 14, 816],
      [1, 3, 3, 459],
    ]);
  });

  test('is spread evenly, and few move when one is added', () => {
    const names = Array.from({ length: 10_000 }, (_, number) => `org-${number}`);
    for (const total of [2, 3, 10]) {
      const sizes = Map.groupBy(names, (name) => shardOf(name, total));
      for (const { length } of sizes.values()) {
        expect(Math.abs(length / (names.length / total) - 1)).toBeLessThan(0.1);
      }
      const moved = names.filter((name) => shardOf(name, total) !== shardOf(name, total + 1));
      expect(moved.length / names.length).toBeLessThan(1.15 / (total + 1));
    }
  });
});

test('hook events go to shard 0 alone', () => {
  expect([0, 1, 2].map((index) => takesHookEvents({ index, total: 3 }))).toEqual([true, false, false]);
  expect(takesHookEvents({ index: 0, total: 1 })).toBe(true);
});

describe('a sharded configuration', () => {
  const names = ['acme', 'globex', 'initech', 'umbrella', 'hooli'];
  const yaml = `orgs:\n${names
    .map((name) => `  - {name: ${name}, base_url: "https://a.example", api_key_file: /keys/${name}}\n`)
    .join('')}`;
  const keys = Object.fromEntries(names.map((name) => [`/keys/${name}`, `key-of-${name}`]));

  function ofShard(shard: number, total: number, files = keys, environment = {}) {
    return load({
      args: ['--config.file=c.yml', `--shard=${shard}`],
      environment: { AGENT_PLATFORM_TOTAL_SHARDS: String(total), ...environment },
      files: { ...files, 'c.yml': yaml },
      organizations: 'required',
    });
  }
  async function orgsOf(...args: Parameters<typeof ofShard>): Promise<readonly string[]> {
    return (await ofShard(...args)).orgs.map(({ name }) => name);
  }

  test('gives each organization to one shard, and to some shard none', async () => {
    const all = await Promise.all(Array.from({ length: 20 }, (_, shard) => orgsOf(shard, 20)));
    expect(all.flat().toSorted()).toEqual(names.toSorted());
    expect(all.filter((orgs) => orgs.length === 0).length).toBeGreaterThan(0);
  });

  test('needs the keys of its own organizations alone', async () => {
    for (const shard of [0, 1, 2]) {
      const own = names.filter((name) => shardOf(name, 3) === shard);
      const files = Object.fromEntries(own.map((name) => [`/keys/${name}`, 'key']));
      expect(await orgsOf(shard, 3, files)).toEqual(own);
    }
  });

  test('knows the names of all, that of the environment included', async () => {
    const environment = { AGENT_PLATFORM_API_BASE_URL: 'https://a.example', AGENT_PLATFORM_API_KEY: 'key' };
    for (const shard of [0, 1, 2]) {
      const { orgs, elsewhere } = await ofShard(shard, 3, keys, environment);
      const all = [...orgs.map(({ name }) => name), ...elsewhere];
      expect(all.toSorted()).toEqual([...names, 'default'].toSorted());
    }
  });

  test.each([
    [3, 3, '--shard is 3, but of --total-shards 3 shards are numbered 0 to 2'],
    [1, 1, '--shard is 1, but of --total-shards 1 the only shard is number 0'],
    [0, 0, 'AGENT_PLATFORM_TOTAL_SHARDS: "0" is below the minimum of 1'],
    [-1, 2, '--shard: "-1" is below the minimum of 0'],
  ])('shard %i of %i is refused', async (shard, total, message) => {
    expect(await configErrorOf(() => orgsOf(shard, total))).toMatchObject({ message });
  });

  test.each([['--shard=0'], ['--total-shards=2'], ['--shard=1', '--total-shards=2']])(
    'with a database is refused: %s %s',
    async (...args) => {
      const call = () =>
        load({
          args: ['--config.file=c.yml', ...args],
          environment: { AGENT_PLATFORM_STORAGE_URL: 'postgres://a@db/c' },
          files: { ...keys, 'c.yml': yaml },
          organizations: 'required',
        });
      expect(await configErrorOf(call)).toMatchObject({
        message: 'shards are given, and the database of AGENT_PLATFORM_STORAGE_URL',
        hint: expect.stringContaining('replicas that share a database need none'),
      });
    },
  );

  test('without any organization is refused on every shard', async () => {
    const call = () => load({ args: ['--shard=1', '--total-shards=2'], organizations: 'required' });
    expect((await configErrorOf(call)).message).toContain('no organization to poll');
  });
});
