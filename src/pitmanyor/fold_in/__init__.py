"""New documents: their topic proportions and token probabilities, with everything learned held fixed (maths 7)."""

from pitmanyor.fold_in.predict import predict
from pitmanyor.fold_in.shares import Completion, TopicShares, Way, infer, main_stream

__all__ = ["Completion", "TopicShares", "Way", "infer", "main_stream", "predict"]
