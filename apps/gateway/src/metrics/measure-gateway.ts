import type { INestApplication } from '@nestjs/common';
import { PasswordCheck, securityEventNames, SecurityLog, type LoginCounts } from '@keyfold/application';
import { EventStore } from '@keyfold/event-store';
import { Histogram } from '@keyfold/reporting';
import type { LimitedSecurityLog, Metrics, Sample } from '@keyfold/process';
import { PasswordHasher } from '@keyfold/security';
import { appendSamples } from '@keyfold/wiring';
import type { RequestCounts } from './request-counts.js';

/** In seconds. A hash takes tens of milliseconds, and longer if CPUs are busy. */
const BOUNDS = [0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** A histogram of the durations of password hashes in this process, in seconds. */
export class HashDurations extends Histogram {
  constructor() {
    super(BOUNDS);
  }
}

export function measureGateway(app: INestApplication, requests: RequestCounts, metrics: Metrics): void {
  const hasher = app.get(PasswordHasher, { strict: false });
  const durations = app.get(HashDurations, { strict: false });
  const { counts } = app.get(PasswordCheck, { strict: false });
  const security = app.get<LimitedSecurityLog>(SecurityLog, { strict: false });
  const { appends } = app.get(EventStore, { strict: false });
  metrics.add(() => requestSamples(requests));
  metrics.add(() => hashSamples(hasher, durations));
  metrics.add(() => loginSamples(counts));
  metrics.add(() => securitySamples(security));
  metrics.add(() => appendSamples(appends));
}

const requestSamples = ({ routes, durations, inFlight }: RequestCounts): Sample[] => [
  ...routes.flatMap((each) =>
    each.byStatus().map(([status, value]): Sample => {
      const { method, route } = each;
      return { name: 'keyfold_http_requests_total', labels: { method, route, status }, value };
    }),
  ),
  ...[...durations].map(([route, value]): Sample => {
    return { name: 'keyfold_http_request_duration_seconds', labels: { route }, value };
  }),
  { name: 'keyfold_http_requests_in_flight', value: inFlight },
];

const hashSamples = ({ waiting, running, refused }: PasswordHasher, durations: HashDurations): Sample[] => [
  { name: 'keyfold_password_hashes_waiting', value: waiting },
  { name: 'keyfold_password_hashes_running', value: running },
  { name: 'keyfold_password_hashes_refused_total', value: refused },
  { name: 'keyfold_password_hash_duration_seconds', value: durations },
];

const loginSamples = (counts: LoginCounts): Sample[] =>
  counts.all().map(({ factor, outcome, count }): Sample => {
    return { name: 'keyfold_login_attempts_total', labels: { factor, outcome }, value: count };
  });

const securitySamples = ({ counts }: LimitedSecurityLog): Sample[] =>
  securityEventNames.map((event): Sample => {
    return { name: 'keyfold_security_events_total', labels: { event }, value: counts.get(event) ?? 0 };
  });
