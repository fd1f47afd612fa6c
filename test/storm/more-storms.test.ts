import { storms } from './seeds.ts';

storms('test/storm/storm.test.ts', [16, 17, 18, 19, 20]);
