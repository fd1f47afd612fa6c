import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';

/** An alert as sent by Alertmanager's webhook. */
interface ReceivedAlert {
  readonly status: 'firing' | 'resolved';
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** A webhook for Alertmanager to notify. */
export interface Receiver {
  readonly url: string;
  /** Everything received, in order. */
  readonly alerts: readonly ReceivedAlert[];
  /** The same by message. */
  readonly messages: readonly (readonly ReceivedAlert[])[];
}

/** Starts a webhook receiver that is stopped after the tests of the file. */
export async function startReceiver(): Promise<Receiver> {
  const alerts: ReceivedAlert[] = [];
  const messages: (readonly ReceivedAlert[])[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    const message = JSON.parse(body) as { alerts: ReceivedAlert[] };
    alerts.push(...message.alerts);
    messages.push(message.alerts);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, alerts, messages };
}
