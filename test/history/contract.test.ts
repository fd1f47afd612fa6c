import path from 'node:path';
import { createMemoryHistory } from '../../src/history/memory.ts';
import { describeHistory } from './contract.ts';
import { createDirectory, openHistory } from './files.ts';

describeHistory('memory', async () => createMemoryHistory());

describeHistory('a file', () => openHistory(path.join(createDirectory(), 'history.db')));
