"""SIGKILL, of the one or the other, at any moment of what they do."""
import signal
import threading
import time

from device import agree, pair


def run(folder, chance, deadline):
    one, two = pair(folder)
    for device in (one, two):
        device.ask("set", "autopush", chance.choice(["on", "off"]))
    rounds, number = 0, 100
    try:
        while time.monotonic() < deadline:
            rounds += 1
            writer, victim = chance.choice([one, two]), chance.choice([one, two])
            pause = chance.uniform(0, 0.25)
            process = victim.process

            def strike():
                time.sleep(pause)
                process.send_signal(signal.SIGKILL)

            striking = threading.Thread(target=strike)
            striking.start()
            for _ in range(chance.randrange(1, 6)):
                number += 1
                writer.add(number)
                if chance.random() < 0.5:
                    writer.run("push", "--timeout", "1s")
            striking.join()
            process.wait()
            victim.start()
            victim.keeps()
            if rounds % 10 == 0:
                agree(one, two)
                for device in (one, two):
                    device.keeps(one.promised | two.promised)
                    device.verify()
        agree(one, two)
        for device in (one, two):
            device.keeps(one.promised | two.promised)
            device.verify()
        promised = len(one.promised | two.promised)
        return f"{rounds} SIGKILLs, {promised} entries acknowledged, none lost"
    finally:
        for device in (one, two):
            device.end(signal.SIGKILL)
