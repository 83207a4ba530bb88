import { launch } from '@keyfold/process/launch';

await launch(import.meta.dirname, async () => {
  const { startWorker } = await import('./start.js');
  await startWorker();
});
