import type { components } from '../api/openapi.js';
import { t } from '../texts/texts.js';
import { clock } from '../ui/time.js';

type Hour = components['schemas']['LoginHourResponse'];

const WIDTH = 20;
const HEIGHT = 80;

/** Accepted and refused logins by hour, as bars. Screen readers get the sums. */
export function LoginChart({ hours }: Readonly<{ hours: readonly Hour[] }>) {
  const accepted = sum(hours.map((hour) => hour.accepted));
  const refused = sum(hours.map((hour) => hour.refused));
  const most = Math.max(1, ...hours.map((hour) => hour.accepted + hour.refused));
  const scale = (count: number) => (count / most) * HEIGHT;
  return (
    <figure class="chart">
      <svg
        viewBox={`0 0 ${hours.length * WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={t.overview.loginsOf(accepted, refused)}
      >
        {hours.map((hour, n) => {
          const [good, bad] = [scale(hour.accepted), scale(hour.refused)];
          return (
            <g key={hour.hour}>
              <title>{`${clock(new Date(hour.hour))}: ${t.overview.loginsOf(hour.accepted, hour.refused)}`}</title>
              {/* The whole column answers to the pointer. */}
              <rect class="ground" x={n * WIDTH} width={WIDTH} y={0} height={HEIGHT} />
              <rect class="good" x={n * WIDTH + 2} width={WIDTH - 4} y={HEIGHT - good} height={good} />
              <rect class="bad" x={n * WIDTH + 2} width={WIDTH - 4} y={HEIGHT - good - bad} height={bad} />
            </g>
          );
        })}
      </svg>
      <figcaption>
        <span class="key good">{t.overview.accepted(accepted)}</span>{' '}
        <span class="key bad">{t.overview.refused(refused)}</span>
      </figcaption>
    </figure>
  );
}

const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
