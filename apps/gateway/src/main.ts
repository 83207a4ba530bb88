import { launch } from '@keyfold/process/launch';

await launch(import.meta.dirname, async () => {
  const { startGateway } = await import('./start.js');
  await startGateway();
});
