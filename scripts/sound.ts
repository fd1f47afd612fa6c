const rate = 16_000;
const seconds = 0.55;
const loudest = 0.4;

/** Two soft tones, a fifth apart: the start of each in seconds, and its pitch in hertz. */
const tones: readonly (readonly [start: number, hertz: number])[] = [
  [0, 587.33],
  [0.13, 880],
];

/** The sound of a notification, as a WAV file (16 bit, mono); identical bytes at each call. */
export function renderSound(): Buffer {
  const samples = Math.round(rate * seconds);
  const data = Buffer.alloc(samples * 2);
  for (let index = 0; index < samples; index++) {
    const level = tones.reduce((sum, [start, hertz]) => sum + tone(index / rate - start, hertz), 0);
    // Fades to silence at the end, to avoid a click.
    const fade = Math.min(1, (samples - index) / (rate * 0.05));
    data.writeInt16LE(Math.round(level * fade * loudest * 32_767 * 0.5), index * 2);
  }
  return Buffer.concat([header(data.length), data]);
}

/** A bell: starts abruptly, with a quieter octave above, and fades. */
function tone(time: number, hertz: number): number {
  if (time < 0) return 0;
  const angle = 2 * Math.PI * hertz * time;
  const attack = Math.min(1, time / 0.005);
  return attack * Math.exp(-7 * time) * (Math.sin(angle) + 0.3 * Math.sin(2 * angle));
}

function header(bytes: number): Buffer {
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + bytes, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE(rate * 2, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36);
  head.writeUInt32LE(bytes, 40);
  return head;
}
