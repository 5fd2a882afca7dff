"""Documents that a fit has not seen: their topic shares, with everything learned held fixed (maths 7)."""

from pitmanyor.unseen.predict import predict
from pitmanyor.unseen.shares import Completion, TopicShares, Way, infer

__all__ = ["Completion", "TopicShares", "Way", "infer", "predict"]
