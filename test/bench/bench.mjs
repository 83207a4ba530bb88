// npm run bench: compares the built standalone app with minimal programs that do the same work on this machine. Exits
// with 1 if it misses a goal. `npm run bench -- forwarding` measures requests to OpenList instead. BENCH_SECONDS shortens a round.
import { availableParallelism } from 'node:os';
import { App, temporaryFolder } from './app.mjs';
import { measureForwarding } from './forwarding.mjs';
import { residentMegabytes } from './process-figures.mjs';
import { missedReadyGoals, readyText, readyTimes } from './ready.mjs';
import { alternate } from './rounds.mjs';
import { setStage } from './stage.mjs';
import { gainsOf, loginSubjectsOf, subjectsOf } from './subjects.mjs';
import { missedGoals, report, rowsOf, tableOf } from './table.mjs';

const ROUNDS = 5;
const LONGEST_ROUND = 3;
const seconds = Math.min(LONGEST_ROUND, Number(process.env.BENCH_SECONDS) || LONGEST_ROUND);

if (process.argv[2] === 'forwarding') await measureForwarding(ROUNDS, seconds);
else await measureGoals();
process.exit();

async function measureGoals() {
  const ready = await readyTimes();
  console.log(readyText(ready));
  const all = availableParallelism();
  const stages = [];
  for (const threads of new Set([1, all])) {
    stages.push(await setStage(await App.start(temporaryFolder(), threads), threads, ROUNDS + 1));
  }
  const subjects = [...stages.flatMap(subjectsOf), ...loginSubjectsOf(stages.at(-1))];
  console.log(`${subjects.length} subjects, ${ROUNDS} rounds of ${seconds} s each`);
  // The first round warms up compilers and caches and does not count.
  await alternate(subjects, 1, Math.min(1, seconds));
  const figures = await alternate(subjects, ROUNDS, seconds);
  const rows = rowsOf(subjects, figures);
  console.log(tableOf(rows));
  const gains = all === 1 ? [] : rowsOf(gainsOf(all), figures);
  for (const { name, base, ratio, goal } of gains) console.log(`${name}: ${ratio.toFixed(2)} of ${base}, goal ${goal}`);
  for (const { app, threads } of stages) {
    const megabytes = residentMegabytes(app.pid);
    if (megabytes !== undefined) console.log(`${Math.round(megabytes)} MB in memory after the run, ${threads} threads`);
    await app.stop();
  }
  report([...missedReadyGoals(ready), ...missedGoals([...rows, ...gains])]);
}
