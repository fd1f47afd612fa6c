import { expect, test } from 'vitest';
import { createRunStates } from '../../src/pipeline/run-states.ts';
import { PlatformError } from '../../src/text/errors.ts';

test("an organization's failures are those of its other collectors that still run", () => {
  const states = createRunStates();
  const failed = (text: string) => ({ failure: { error: new PlatformError('network', text), since: 1 } });
  states.update('acme', 'one', failed('first'));
  states.update('acme', 'two', failed('second'));
  states.update('globex', 'three', failed('third'));
  states.update('acme', 'one', { running: true });
  const failures = (except: string) => states.failuresOf('acme', except).map(({ message }) => message);
  expect([failures('one'), failures('two'), failures('three')]).toEqual([
    ['second'],
    ['first'],
    ['first', 'second'],
  ]);
  expect(states.get('acme', 'one')).toMatchObject({ running: true, failure: { since: 1 } });
  expect(states.failuresOf('nobody', 'one')).toEqual([]);
  states.forget('acme', 'two');
  expect(failures('none')).toEqual(['first']);
  expect(states.get('acme', 'two')).toEqual(states.get('nobody', 'two'));
  states.forget('nobody', 'two');
});
