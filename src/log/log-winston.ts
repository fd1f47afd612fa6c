import winston from 'winston';
import type { Clock } from '../work/clock.ts';
import { formatLine, jsonSyntax, type LogValue, logfmtSyntax, plainFields } from './logfmt.ts';
import type { LogFields, Logger } from './logger.ts';
import type { Redactor } from './redact.ts';

export type LogLevel = keyof Logger;
export type LogFormat = 'logfmt' | 'json';

interface LogOptions {
  /** The minimum severity. */
  readonly level: LogLevel;
  readonly format: LogFormat;
  readonly stream: NodeJS.WritableStream;
  readonly clock: Pick<Clock, 'now'>;
  /** Applied to the message and to every field, including nested ones. */
  readonly redactor: Redactor;
}

const LEVELS: Readonly<Record<LogLevel, number>> = { error: 0, warn: 1, info: 2, debug: 3 };

/**
 * Creates a logger that writes one line per event: `ts` (UTC), `level`, `msg`, then the fields in order. If the stream
 * fails, such as a closed pipe, only its lines are lost.
 */
export function createLogger(options: LogOptions) {
  const { stream, clock, redactor } = options;
  let level = options.level;
  const syntax = options.format === 'json' ? jsonSyntax : logfmtSyntax;
  const logger = winston.createLogger({
    level,
    levels: { ...LEVELS },
    format: { transform: withLine },
    transports: [new winston.transports.Stream({ stream, eol: '\n' })],
  });
  stream.on('error', ignore);
  logger.on('error', ignore);

  function withLine(info: winston.Logform.TransformableInfo): winston.Logform.TransformableInfo {
    const { fields } = info;
    const pairs = new Map<string, LogValue>([
      ['ts', new Date(clock.now()).toISOString()],
      ['level', info.level],
      ['msg', redactor.redact(String(info.message))],
      ...plainFields(fields as LogFields, redactor, level === 'debug'),
    ]);
    return { ...info, [MESSAGE]: formatLine(syntax, pairs) };
  }

  // The fields are nested under one key: winston interprets fields named `message` or `level`.
  function at(eventLevel: LogLevel) {
    return (message: string, fields: LogFields = {}): void => {
      if (LEVELS[eventLevel] > LEVELS[level] || logger.writableEnded) return;
      logger.log({ level: eventLevel, message, fields });
    };
  }

  return { error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug'), setLevel, close };

  /** Changes the minimum severity. */
  function setLevel(next: LogLevel): void {
    level = next;
    logger.level = next;
  }

  /** Resolves once every line was passed to the stream; the stream stays open, later events are dropped. */
  function close(): Promise<void> {
    return new Promise((resolve) => {
      logger.once('finish', () => resolve());
      logger.end();
    });
  }
}

/** The key of the finished line for winston's transports. */
const MESSAGE = Symbol.for('message');

function ignore(): void {
  // There is nowhere to report that the log cannot be written.
}
