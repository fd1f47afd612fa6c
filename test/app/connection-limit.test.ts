import { expect, test } from 'vitest';
import { connectionLimit, connectionsAllowed } from '../../src/app/connection-limit.ts';
import { createFakeFiles } from '../support/fake-files.ts';
import { createFakeLogger } from '../support/fake-logger.ts';

function limitsOf(openFiles: number | string): string {
  return `Limit                     Soft Limit           Hard Limit           Units
Max processes             62939                62939                processes
Max open files            ${openFiles}                   1048576              files
Max locked memory         8388608              8388608              bytes
`;
}

test.each([
  ['plenty of open files', limitsOf(20_000), 1, 512],
  ['no limit', limitsOf('unlimited'), 1, 512],
  ['no such file', undefined, 1, 512],
  ['a file of another form', 'nothing', 1, 512],
  ['the usual soft limit', limitsOf(1024), 100, 512],
  ['few, of which the exporter needs some', limitsOf(256), 10, 168],
  ['few, which organizations use up', limitsOf(1024), 500, 128],
  ['very few', limitsOf(64), 5, 8],
  ['hardly any', limitsOf(4), 1, 1],
])('%s', (_, limits, orgs, connections) => {
  expect(connectionLimit(limits, { maxConnections: 512, orgs })).toBe(connections);
});

test.each<[string, ReadonlyMap<string, string>, number, readonly object[]]>([
  [
    'few open files',
    new Map([['/proc/self/limits', limitsOf(256)]]),
    204,
    [{ connections: 204, configured: 512 }],
  ],
  ['enough open files', new Map([['/proc/self/limits', limitsOf(564)]]), 512, []],
  ['another system', new Map(), 512, []],
])('fewer connections than configured are warned of: %s', async (_, files, connections, warned) => {
  const log = createFakeLogger();
  const config = { web: { maxConnections: 512 }, orgs: [{}] } as never;
  expect(await connectionsAllowed(createFakeFiles(new Map(files)), config, log)).toBe(connections);
  expect(log.events.map(({ fields }) => fields)).toEqual(warned);
});
