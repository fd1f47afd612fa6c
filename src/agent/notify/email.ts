import { codeOf } from '../../files/local-file.ts';
import { setConnectAttempt } from '../../net/node-http.ts';
import { certificatesWith } from '../post.ts';
import type { SendBy } from './notice.ts';

/** Sends a notice as a plain-text e-mail; rejects too if the server refuses only some of the addresses. */
export const sendToEmail: SendBy<'email'> = async (channel, notice, { secret, signal, timeoutMs }) => {
  const { createTransport } = await import('nodemailer');
  setConnectAttempt(timeoutMs);
  const { host, port, security, login, from, to, caFile } = channel;
  const transport = createTransport({
    host,
    port,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    ...(login === undefined ? {} : { auth: { user: login.username, pass: secret(login.password) } }),
    ...(caFile === undefined ? {} : { tls: { ca: await certificatesWith(caFile) } }),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  let refused = 0;
  try {
    const subject = notice.title.replace(/\s+/g, ' ');
    const mail = { from, to: [...to], subject, text: notice.text, signal };
    const { rejected } = await transport.sendMail(mail);
    refused = rejected.length;
  } catch (error) {
    const status = error instanceof Error && 'responseCode' in error ? ` ${String(error.responseCode)}` : '';
    // The server's own words may repeat addresses.
    throw new Error(`the mail server rejected it (${codeOf(error)}${status})`);
  }
  // One accepted address is enough for the server to take the mail.
  if (refused > 0) throw new Error(`the mail server rejected ${refused} of ${to.length} addresses`);
};
