import { BrokerUnavailable, MessageRefused } from '@keyfold/messaging';
import { BrokerConnection } from '@keyfold/messaging/rabbitmq';
import type { OperatorOutput } from '../command-run.js';
import { FAILED, type ExitCode } from '@keyfold/process';

/** How long the broker may take to accept the connection (milliseconds). */
const CONNECT_TIMEOUT = 15_000;

/**
 * Runs `work` on a temporary connection to RabbitMQ. Unlike a service, a command does not wait for an unavailable broker: errors of the
 * broker are reported, and the command fails.
 */
export async function withOperatorConnection(
  url: string,
  output: OperatorOutput,
  work: (connection: BrokerConnection) => Promise<ExitCode>,
): Promise<ExitCode> {
  const problem = Promise.withResolvers<string | undefined>();
  const late = setTimeout(
    () => problem.resolve(`no answer within ${CONNECT_TIMEOUT / 1_000} seconds`),
    CONNECT_TIMEOUT,
  );
  const connection = await BrokerConnection.open(url, {
    role: 'operator',
    onState: (state, reason) => problem.resolve(state === 'disconnected' ? (reason ?? 'no answer') : undefined),
  });
  try {
    const failure = await problem.promise;
    if (failure === undefined) return await work(connection);
    await output.err(`keyfold: cannot connect to RabbitMQ at ${new URL(url).host}: ${failure}`);
  } catch (error) {
    if (!(error instanceof BrokerUnavailable || error instanceof MessageRefused)) throw error;
    await output.err(`keyfold: ${error.message}`);
  } finally {
    clearTimeout(late);
    await connection.close();
  }
  return FAILED;
}
