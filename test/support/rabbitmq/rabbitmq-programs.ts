import { findRabbitmqFolder } from '../programs.js';

/** The folder with `rabbitmq-server` and `rabbitmqctl`. Throws if this machine has none. */
export function rabbitmqPrograms(): string {
  const folder = findRabbitmqFolder();
  if (folder === undefined) throw new Error('RabbitMQ was not found: set RABBITMQ_URL or run "npm run test:setup"');
  return folder;
}
