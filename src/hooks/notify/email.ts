import { setConnectAttempt } from '../../runtime/connect-attempt.ts';
import { codeOf } from '../../runtime/files.ts';
import { certificatesWith } from '../post.ts';
import type { SendBy } from './notice.ts';

/** Sends a notice as a plain-text e-mail. */
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
  try {
    const subject = notice.title.replace(/\s+/g, ' ');
    await transport.sendMail({ from, to: [...to], subject, text: notice.text, signal });
  } catch (error) {
    const status = error instanceof Error && 'responseCode' in error ? ` ${String(error.responseCode)}` : '';
    // The server's own words may repeat addresses.
    throw new Error(`the mail server rejected it (${codeOf(error)}${status})`);
  }
};
