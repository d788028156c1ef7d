"""Names and their addresses."""

import asyncio

from whimbrel.fetch.dns import NameResolver, system_lookup
from whimbrel.testing.clock import JumpingClock


class Names:
    """A name service that counts questions."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.asked = 0

    async def __call__(self, host):
        self.asked += 1
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def test_answers_are_kept_until_they_expire():
    async def main():
        first = await resolver.resolve("a.test")
        clock.jump(299)
        again = await resolver.resolve("a.test")
        clock.jump(2)
        return first, again, await resolver.resolve("a.test")

    clock = JumpingClock()
    names = Names(["192.0.2.1", "192.0.2.1", "192.0.2.2"], ["192.0.2.3"])
    resolver = NameResolver(names, clock)
    assert asyncio.run(main()) == (["192.0.2.1", "192.0.2.2"],) * 2 + (["192.0.2.3"],)
    assert names.asked == 2


def test_failures_are_kept_for_a_shorter_time_and_say_why():
    async def main():
        none = await resolver.resolve("a.test")
        reason = resolver.reason("a.test")
        await resolver.resolve("a.test")
        clock.jump(16)
        return none, reason, await resolver.resolve("a.test")

    clock = JumpingClock()
    names = Names(OSError("no such name"), ["192.0.2.1"])
    resolver = NameResolver(names, clock)
    assert asyncio.run(main()) == ([], "no such name", ["192.0.2.1"])
    assert names.asked == 2


def test_questions_at_the_same_time_share_one_lookup():
    async def main():
        return await asyncio.gather(*(resolver.resolve("a.test") for _ in range(5)))

    names = Names(["192.0.2.1"])
    resolver = NameResolver(names)
    assert asyncio.run(main()) == [["192.0.2.1"]] * 5
    assert names.asked == 1


def test_a_name_that_cannot_be_encoded_has_no_address():
    async def main():
        return await resolver.resolve("a" * 70 + ".test"), resolver.reason("a" * 70 + ".test")

    resolver = NameResolver()
    addresses, reason = asyncio.run(main())
    assert addresses == []
    assert reason


def test_the_system_knows_localhost():
    found = asyncio.run(system_lookup("localhost"))
    assert set(found) <= {"127.0.0.1", "::1"}
    assert found
