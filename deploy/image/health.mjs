// HEALTHCHECK of the image: checks whether the gateway or worker in this container is ready, and prints why not.
const port = process.env.KEYFOLD_MANAGEMENT_PORT || 9464;
try {
  const answer = await fetch(`http://127.0.0.1:${port}/health/ready`, { signal: AbortSignal.timeout(4_000) });
  console.log((await answer.text()).trim());
  process.exitCode = answer.ok ? 0 : 1;
} catch (error) {
  console.log(`cannot reach the management port ${port}: ${error.cause?.message ?? error.message}`);
  process.exitCode = 1;
}
