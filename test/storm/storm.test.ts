import { seedsOr, storms } from './seeds.ts';

// The other half is in another file, which another worker takes.
storms('test/storm/storm.test.ts', seedsOr([11, 12, 13, 14, 15]));
