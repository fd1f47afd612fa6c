import { type Agent, request } from 'node:http';

/** The token of the senders of hook events. */
export const SENDERS_TOKEN = 'a-token-of-the-senders';

/** Posts hook events; resolves with the status for the sender, or nothing if the connection breaks. */
export function postEvents(url: string, agent: Agent, body: object): Promise<number | undefined> {
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${SENDERS_TOKEN}`, 'content-type': 'application/json' };
    const sending = request(`${url}/hooks/events`, { method: 'POST', agent, headers }, (response) => {
      response.once('end', () => resolve(response.statusCode));
      response.once('error', () => resolve(undefined));
      response.resume();
    });
    sending.once('error', () => resolve(undefined));
    sending.end(JSON.stringify(body));
  });
}
