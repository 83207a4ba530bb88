import { BrokerUnavailable, MessageRefused } from '@keyfold/messaging';
import { BrokerConnection } from '@keyfold/messaging/rabbitmq';
import type { OperatorOutput } from '../output/operator-output.js';
import { FAILED, type ExitCode } from '@keyfold/process';

/** Milliseconds that the broker may take to answer. */
const PATIENCE = 15_000;

/**
 * Does work that needs RabbitMQ, over a connection that exists for as long. What the broker does not do is told and is a failure: a
 * command does not wait for a broker that is away, unlike a service.
 */
export async function withOperatorConnection(
  url: string,
  output: OperatorOutput,
  work: (connection: BrokerConnection) => Promise<ExitCode>,
): Promise<ExitCode> {
  const told = Promise.withResolvers<string | undefined>();
  const late = setTimeout(() => told.resolve(`no answer within ${PATIENCE / 1_000} seconds`), PATIENCE);
  const connection = await BrokerConnection.open(url, {
    role: 'operator',
    onState: (state, reason) => told.resolve(state === 'disconnected' ? (reason ?? 'no answer') : undefined),
  });
  try {
    const failure = await told.promise;
    if (failure === undefined) return await work(connection);
    await output.err(`keyfold: RabbitMQ at ${new URL(url).host} cannot be used: ${failure}`);
  } catch (error) {
    if (!(error instanceof BrokerUnavailable || error instanceof MessageRefused)) throw error;
    await output.err(`keyfold: ${error.message}`);
  } finally {
    clearTimeout(late);
    await connection.close();
  }
  return FAILED;
}
