import { addDays } from '../../src/catalog/day.ts';
import { SqlStore } from '../../src/store/sql-store.ts';
import { openFiles } from '../../src/store/sqlite-files.ts';
import { createSystemClock } from '../../src/work/clock.ts';
import { dayNamed } from '../support/day.ts';
import { createFakeLogger } from '../support/fake-logger.ts';

// A separate program: stores 200 days in the given file and ends as by `kill -9`.
const [file = ''] = process.argv.slice(2);
const [clock, log] = [createSystemClock(), createFakeLogger()];
const files = await openFiles({ path: file, onDamage: 'replace', clock, log });
const store = new SqlStore({ ...files, datasets: [], clock, log });
const days = Array.from({ length: 200 }, (_, index) => addDays(dayNamed('2026-01-14'), index));
const rows = new Map(days.map((day) => [day, { text: day.repeat(50) }]));
await store.putDays('acme', 'tokens', { days, rows, orgId: 'org_1', at: 1 });
process.kill(process.pid, 'SIGKILL');
