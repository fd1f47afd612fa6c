import path from 'node:path';
import { describeStore } from './contract.ts';
import { createDirectory, openStore } from './files.ts';

describeStore('memory', async () => openStore(':memory:'));
describeStore('files', async () => openStore(path.join(createDirectory(), 'history.db')));
