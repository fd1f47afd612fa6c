// Writes the hook command of a build as one file, beside one for each part that it loads later: an agent waits for it, and to find
// and load its modules one by one takes a sixth of its time. `node scripts/bundle/hook.ts [FOLDER]`, by default dist.
import path from 'node:path';
import { build } from 'rolldown';
import { AT_ONCE } from './bundle.ts';

const [, , folder = path.resolve(import.meta.dirname, '../../dist')] = process.argv;
await build({
  input: path.resolve(folder, 'hook.js'),
  platform: 'node',
  logLevel: 'warn',
  preserveEntrySignatures: 'allow-extension',
  // Packages stay where npm installs them.
  external: (id) => !id.startsWith('.') && !path.isAbsolute(id),
  output: {
    // As far below the package's folder as the module that looks for files of the package there.
    dir: path.join(folder, 'agent'),
    // Of Node's own modules, it loads less than an ES module.
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name].cjs',
    codeSplitting: AT_ONCE,
  },
});
