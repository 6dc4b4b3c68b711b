"""How many visitors does one process hold? Plain websocket clients on loopback, each changing something every two seconds.

    python bench/visitors.py [most]

Steps of visitors are tried (bounded in number and time) until the 95th percentile of an answer passes one second. A visitor is a
browser's conversation without the browser: connect, run the page, then change "look at head" and wait for the run to end.
"""

import asyncio
import os
import socket
import statistics
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

ROOT = Path(__file__).resolve().parent.parent
STEPS = (25, 50, 100, 150, 200)
SECONDS, PAUSE, LIMIT = 16, 2.0, 1.0
PAGE, QUERY = "step_3_scores", "d_model=16&h=4"


def serve():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port), "--server.address", "127.0.0.1",
               "--server.fileWatcherType", "none"]
    server = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    )
    for _ in range(240):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=2).read()
            return server, port
        except OSError:
            time.sleep(0.25)
    raise SystemExit("the app did not start")


class Visitor:
    """One conversation. `answers` are the seconds from a change to the end of its run."""

    def __init__(self, port: int):
        self.port, self.answers, self.page_hash, self.query = port, [], "", QUERY

    async def stay(self, until: float, delay: float) -> None:
        await asyncio.sleep(delay)
        address = f"ws://127.0.0.1:{self.port}/_stcore/stream"
        async with websockets.connect(address, max_size=None, subprotocols=["streamlit"], open_timeout=60) as socket:
            await self.run(socket, PAGE)
            head = 1
            while time.monotonic() < until:
                await asyncio.sleep(PAUSE)
                head = head % 4 + 1
                self.query = f"{QUERY}&head={head}"
                begun = time.monotonic()
                await self.run(socket, "")
                self.answers.append(time.monotonic() - begun)

    async def run(self, socket, page: str) -> None:
        """Ask for a run of the page and read until it has ended."""
        message = BackMsg()
        message.rerun_script.query_string = self.query
        message.rerun_script.page_name = page
        message.rerun_script.page_script_hash = self.page_hash
        await socket.send(message.SerializeToString())
        while True:
            answer = ForwardMsg()
            answer.ParseFromString(await asyncio.wait_for(socket.recv(), 60))
            if answer.WhichOneof("type") == "new_session":
                self.page_hash = answer.new_session.page_script_hash
            if answer.WhichOneof("type") == "navigation":
                self.page_hash = answer.navigation.page_script_hash
            if answer.WhichOneof("type") == "script_finished":
                return


async def crowd(port: int, visitors: int) -> list[float]:
    until = time.monotonic() + SECONDS
    people = [Visitor(port) for _ in range(visitors)]
    await asyncio.gather(*(person.stay(until, PAUSE * k / visitors) for k, person in enumerate(people)))
    return [answer for person in people for answer in person.answers]


def main(most: int) -> None:
    server, port = serve()
    held = 0
    try:
        asyncio.run(crowd(port, 2))
        print(f"{PAGE}, a change every {PAUSE:.0f} s for {SECONDS} s; the aim is 150 visitors at p95 < {LIMIT:.0f} s")
        for visitors in (step for step in STEPS if step <= most):
            answers = sorted(asyncio.run(crowd(port, visitors)))
            p95 = answers[int(0.95 * (len(answers) - 1))]
            print(f"{visitors:4} visitors: p50 {statistics.median(answers) * 1000:5.0f} ms, p95 {p95 * 1000:5.0f} ms, {len(answers)} changes")
            if p95 >= LIMIT:
                break
            held = visitors
        print(f"held: {held}")
    finally:
        server.terminate()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
