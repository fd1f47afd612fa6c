/** Structural limits of a JSON text, which bound memory and time. */
export interface JsonBounds {
  /** How deep arrays and objects may lie in each other. */
  readonly depth: number;
  /** How many values there may be, those inside others counted too. */
  readonly values: number;
}

/** Measures a JSON text as it arrives, before anything is made of it. */
export interface JsonMeter {
  /** Reads on; gives the bound that is exceeded. */
  read(chunk: Uint8Array): keyof JsonBounds | undefined;
}

const [QUOTE, COMMA, BACKSLASH] = [0x22, 0x2c, 0x5c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Starts at the beginning of a text in UTF-8. Of a text that is no JSON the measure means nothing. */
export function createJsonMeter(bounds: JsonBounds): JsonMeter {
  let depth = 0;
  let values = 1;
  let isText = false;
  let isEscaped = false;

  return {
    read(chunk) {
      // An index, since an iterator is slower and this looks at every byte that comes.
      for (let at = 0; at < chunk.length; at += 1) {
        const byte = chunk[at];
        if (isText) {
          if (isEscaped) isEscaped = false;
          else if (byte === BACKSLASH) isEscaped = true;
          else if (byte === QUOTE) isText = false;
          continue;
        }
        if (byte === QUOTE) isText = true;
        else if (byte === COMMA) values += 1;
        else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
          depth += 1;
          values += 1;
          if (depth > bounds.depth) return 'depth';
        } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) depth -= 1;
      }
      return values > bounds.values ? 'values' : undefined;
    },
  };
}
