import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { packagedUnit } from '../../scripts/packages/unit.ts';

const unit = readFileSync(
  new URL('../../packaging/agent-platform-exporter.service', import.meta.url),
  'utf8',
);

test('the unit and the image bound the memory of Node.js and the C library in the same way', () => {
  const image = readFileSync(new URL('../../Dockerfile', import.meta.url), 'utf8');
  const bounds = /\b(?:NODE_OPTIONS|GLIBC_TUNABLES)=\S+/g;
  expect(unit.match(bounds)).toEqual([
    'NODE_OPTIONS=--max-semi-space-size=8',
    'GLIBC_TUNABLES=glibc.malloc.arena_max=1:glibc.malloc.mmap_threshold=131072',
  ]);
  expect(image.match(bounds)).toEqual(unit.match(bounds));
});

test("the packages' unit has their own user, path and configuration file, and no key of its own", () => {
  const packaged = packagedUnit(unit);
  expect(packaged).toMatch(
    /^ExecStart=\/usr\/bin\/agent-platform-exporter serve --config\.file=\/etc\/agent-platform-exporter\/config\.yaml$/m,
  );
  expect(packaged).toMatch(/^User=agent-platform-exporter\nGroup=agent-platform-exporter$/m);
  expect(packaged).not.toMatch(/DynamicUser|LoadCredential|API_KEY_FILE/);
  // Nothing else is lost.
  const lost = unit.split('\n').filter((line) => !packaged.includes(line) && !line.startsWith('#'));
  expect(lost.map((line) => line.split('=')[0])).toEqual([
    'EnvironmentFile',
    'LoadCredential',
    'Environment',
    'ExecStart',
    'DynamicUser',
  ]);
});
